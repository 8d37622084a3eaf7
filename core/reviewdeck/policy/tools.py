"""Names of tools and techniques."""

from __future__ import annotations

from reviewdeck.policy.wordlist import words

TOOLS = words("""
    airflow alacritty alembic ansible antd apache apt arch argo ascii asciidoc asdf astro
    asyncio awk aws axum azure babel bash bazel bdd beautifulsoup bem bevy biome black blender
    bootstrap brew bun bundler c c# c++ caddy calver cargo celery chakra clang clap clippy
    clojure cmake cmocka cobol commitlint composer conan consul coq cpu crlf cron csharp
    csrf-free css csv cucumber curl cypress d3 dart dash dask dbt ddd deno detox dir django
    docker docusaurus dotnet dprint drawio drizzle duckdb dvc dynamodb editorconfig
    elasticsearch elixir elm emacs ember envoy erlang esbuild eslint excalidraw expo express
    fastapi fastify fastlane fedora ffmpeg figma fish flake8 flask flax flutter flyway fnm
    fortran fzf gatsby gcc gcp gdb geopandas gimp gin git gitea github gitlab gleam go godot
    golang gpt-free gpu gradio gradle grafana graphql graphviz grep groovy grpc gulp gunicorn
    hadoop haskell heroku hg hledger homebrew hono html http https httpx hugo husky hypothesis
    i3 imagemagick influxdb inkscape intellij ipython iso8601 isort istio java javascript jax
    jekyll jenkins jest jinja jira jq js json julia jupyter just jvm k3s k8s kafka kanban karma
    keras kitty knex kotlin kubectl kubernetes kustomize lapis laravel latex ldap-free leaflet
    less lf libuv lint-staged linux liquibase lisp loguru ltr lts lua luarocks macos make mapbox
    mariadb markdown markdownlint material matlab matplotlib maven mercurial mermaid meson minio
    mise mkdocs mlflow mocha mongo mongodb mongoose mypy mysql nano neovim nest nestjs next
    nextjs nginx nim ninja nix nixos nltk node nodejs nomad notion nox npm numpy nuxt nvim nvm
    obsidian ocaml ollama oop openapi opencv org-mode pandas pandoc parcel parquet pathlib perl
    phoenix php pip pipenv pipx plantuml plasma playwright plotly pnpm podman poetry polars
    postgres postgresql postgrest powershell preact prettier prisma prometheus protobuf pug
    pulumi puma puppet pydantic pyenv pygame pylint pyright pytest python pytorch qt quarkus
    quart r rabbitmq rails ram ramda raylib rbenv react redis redux remix rest rfc3339 ripgrep
    rollup ros rspec rst rtl rubocop ruby ruff rust rustfmt rye s3 sass sbt scala scikit-learn
    scrum scss sdkman sdl seaborn selenium semver sentry sequelize shellcheck sidekiq sinatra
    slf4j soap solid solidjs spacy spark sphinx spring sql sqlalchemy sqlc sqlite ssd ssh-free
    starlette storybook strapi streamlit stripe-free structlog svelte sveltekit swift swiftui
    sympy syncthing systemd tailwind tauri tdd tensorflow terraform testcontainers threejs tmux
    toml towncrier tox trpc ts turborepo typeorm typer typescript ubuntu ulid unittest unity
    unix unreal urql utf-8 uuid uuids uv uvicorn v vagrant valgrind vapor vim virtualenv vite
    vitepress vitest vm vms volta vscode vue vuetify wandb wasm webpack wezterm xarray xcode xml
    xunit yaml yarn yjs zed zellij zig zod zola zsh
""")
"""Tools and techniques that everybody knows by name."""
