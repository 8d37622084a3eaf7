"""Forms of a SKILL.md, each in a folder of its own below a folder of skills.

`A` and `B` are the forms for which recordings of the real agents exist; `C` has more of the
dialects, fences, characters and limits in which readers differ; `D` to `F` were tried later.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final


def skill(name: str, purpose: str, extra: str = "", body: str = "Body of it.") -> bytes:
    """The usual form."""
    return f"---\nname: {name}\ndescription: {purpose}\n{extra}---\n\n{body}\n".encode()


def front(lines: str, body: str = "Body of it.") -> bytes:
    """A front matter of these lines between two usual fences."""
    return f"---\n{lines}\n---\n\n{body}\n".encode()


_LONG: Final = "Long " + " ".join(f"w{at:04d}" for at in range(1, 249)) + " END"
_BIG: Final = "START\n" + "".join(f"line {at:05d} {'x' * 64}\n" for at in range(2_600)) + "END\n"

A: Final[dict[str, bytes]] = {
    "a00-plain/SKILL.md": skill("a00-plain", "Purpose of a00"),
    "a01-bom/SKILL.md": b"\xef\xbb\xbf" + skill("a01-bom", "Purpose of a01"),
    "a02-crlf/SKILL.md": skill("a02-crlf", "Purpose of a02").replace(b"\n", b"\r\n"),
    "a03-blank/SKILL.md": b"\n" + skill("a03-blank", "Purpose of a03"),
    "a04-colon/SKILL.md": skill("a04-colon", "Use when: deploying"),
    "a05-twice/SKILL.md": front("name: a05-twice\ndescription: First\ndescription: Second"),
    "on/SKILL.md": skill("on", "Purpose of on"),
    "a06-num/SKILL.md": skill("1.0", "Purpose of the number"),
    "a07-block/SKILL.md": front("name: a07-block\ndescription: |\n  First line.\n  Second line."),
    "a07-fold/SKILL.md": front("name: a07-fold\ndescription: >\n  First line\n  second line."),
    "a08-noname/SKILL.md": front("description: Purpose of the nameless one"),
    "a09-folder/SKILL.md": skill("a09-other", "Purpose of the renamed one"),
    "a10-nofront/SKILL.md": b"# Heading of a10\n\nParagraph without front matter.\n",
    "a11-spaces/SKILL.md": b"---\nname: a11-spaces\ndescription: Purpose of a11\n---   \n\nBody.\n",
    "a11-openspaces/SKILL.md": b"---  \nname: a11-openspaces\ndescription: Purpose\n---\n\nBody.\n",
    "a11-dots/SKILL.md": b"---\nname: a11-dots\ndescription: Purpose of a11\n...\n\n# Body\n",
    "a12-long/SKILL.md": skill("a12-long", _LONG),
    "group/a13-two/SKILL.md": skill("a13-two", "Purpose two deep"),
    "group/sub/a13-three/SKILL.md": skill("a13-three", "Purpose three deep"),
    "a14-lower/skill.md": skill("a14-lower", "Purpose in lower case"),
    "a16-alias/SKILL.md": front("name: a16-alias\nsummary: &x Text of the anchor\ndescription: *x"),
    "a16-merge/SKILL.md": front(
        "base: &b\n  description: Merged\n<<: *b\nname: a16-merge", "# Body"
    ),
    "a17-one/SKILL.md": skill("a17-same", "Same name in folder one"),
    "a17-two/SKILL.md": skill("a17-same", "Same name in folder two"),
    "a18-big/SKILL.md": skill("a18-big", "Purpose of a18", body=_BIG),
    "a19-nomodel/SKILL.md": skill("a19-nomodel", "Purpose", "disable-model-invocation: true\n"),
    "a19-nouser/SKILL.md": skill("a19-nouser", "Purpose", "user-invocable: false\n"),
    "a20-tab/SKILL.md": front("name: a20-tab\ndescription: Purpose\nmetadata:\n\tkind: tabbed"),
    "a20-comment/SKILL.md": skill("a20-comment", "Deploys # the site"),
    "A21-Upper/SKILL.md": skill("A21-Upper", "Purpose of upper case"),
    "a21 space/SKILL.md": skill("a21 space", "Purpose of a space"),
    "a21_under/SKILL.md": skill("a21_under", "Purpose of an underscore"),
    "a22-unknown/SKILL.md": skill(
        "a22-unknown",
        "Purpose of a22",
        "colour: blue\nmetadata:\n  team: web\n  tags:\n    - one\n    - [two, three]\n",
    ),
}
A_OUTSIDE: Final[dict[str, bytes]] = {
    "a15-target/SKILL.md": skill("a15-dirlink", "Purpose of the linked folder"),
    "a15-file.md": skill("a15-filelink", "Purpose of the linked file"),
}
A_LINKS: Final[dict[str, str]] = {
    "a15-dirlink": "a15-target",
    "a15-filelink/SKILL.md": "a15-file.md",
}
"""Links in the folder of skills, to what lies outside of it."""

B: Final[dict[str, bytes]] = {
    "b01-nested/SKILL.md": skill("b01-nested", "Purpose of b01"),
    "b01-nested/inner/SKILL.md": skill("b01-inner", "Purpose of the inner one"),
    "b01-nested/references/deep/SKILL.md": skill("b01-refs", "Purpose in references"),
    ".b02-hidden/SKILL.md": skill("b02-hidden", "Purpose of the hidden one"),
    ".archive/b02-archived/SKILL.md": skill("b02-archived", "Purpose in the archive"),
    "venv/SKILL.md": skill("b03-venv", "Purpose in venv"),
    "node_modules/SKILL.md": skill("b03-modules", "Purpose in node_modules"),
    "node_modules/b03-deep/SKILL.md": skill("b03-deep", "Purpose below node_modules"),
    "site-packages/SKILL.md": skill("b03-site", "Purpose in site-packages"),
    "__pycache__/SKILL.md": skill("b03-cache", "Purpose in __pycache__"),
    ".git/SKILL.md": skill("b03-git", "Purpose in .git"),
    ".github/SKILL.md": skill("b03-github", "Purpose in .github"),
    ".hub/SKILL.md": skill("b03-hub", "Purpose in .hub"),
    ".locks/SKILL.md": skill("b03-locks", "Purpose in .locks"),
    ".reviewdeck/SKILL.md": skill("b03-ours", "Purpose in .reviewdeck"),
    ".cache/SKILL.md": skill("b03-dotcache", "Purpose in .cache"),
    "b04-flat.md": skill("b04-flat", "Purpose of a flat file"),
    "b06-flow/SKILL.md": front("{name: b06-flow, description: Purpose in flow}"),
    "b07-indent/SKILL.md": front("  name: b07-indent\n  description: Purpose indented"),
    "b08-fourdash/SKILL.md": b"----\nname: b08-fourdash\ndescription: Purpose\n----\n\nBody.\n",
    "b09-fencecomment/SKILL.md": b"--- # a\nname: b09-fc\ndescription: Purpose\n--- # b\n\nBody.\n",
    "b10-case/SKILL.md": front("Name: b10-case\nDescription: Purpose in capitals"),
    "b11-nonewline/SKILL.md": b"---\nname: b11-nonewline\ndescription: Purpose\n---",
    "b12-indentfence/SKILL.md": b"---\nname: b12-if\ndescription: Purpose\n  ---\n\nBody of b12.\n",
    "b13-nobody/SKILL.md": b"---\nname: b13-nobody\ndescription: Purpose\n---\n",
    "b14-list/SKILL.md": front("name: b14-list\ndescription:\n  - first item\n  - second item"),
    "b15-empty/SKILL.md": front("name: b15-empty\ndescription:", "First paragraph of b15."),
    "b16-escapes/SKILL.md": front('name: b16-esc\ndescription: "Deploys \\u0074he \\x73ite"'),
    "b18-cr/SKILL.md": skill("b18-cr", "Purpose of b18").replace(b"\n", b"\r"),
    "b19-latin/SKILL.md": skill("b19-latin", "Café purpose").replace("é".encode(), b"\xe9"),
    "b22-when/SKILL.md": skill("b22-when", "Purpose", "when_to_use: Also when asked\n"),
    "b27-comment/SKILL.md": skill("b27-comment", "Purpose", body="<!-- hidden -->\nBody of b27."),
    "b28-multiline/SKILL.md": front("name: b28-ml\ndescription: Purpose starts\n  and goes on."),
    "b29-second/SKILL.md": b"---\nname: b29\ndescription: Before\n---\nname: later\n---\nBody.\n",
}

C: Final[dict[str, bytes]] = {
    "c01-dash-value/SKILL.md": front("name: c01-dv\ndescription: Uses --- dashes"),
    "c02-tab-value/SKILL.md": b"---\nname: c02-tv\ndescription:\tTabbed value\n---\n\nBody.\n",
    "c03-tab-close/SKILL.md": b"---\nname: c03-tc\ndescription: Purpose\n---\t\n\nBody.\n",
    "c04-tab-before/SKILL.md": b"---\nname: c04-tb\ndescription: Purpose\n\t---\n\nBody.\n",
    "c05-nbsp-close/SKILL.md": "---\nname: c05-nc\ndescription: Nbsp\n---\u00a0\nBody.\n".encode(),
    "c06-dash-text/SKILL.md": b"---\nname: c06-dt\ndescription: Purpose\n---text\n\nBody.\n",
    "c07-first-line/SKILL.md": b"---name: c07-fl\ndescription: Purpose\n---\n\nBody.\n",
    "c08-space-first/SKILL.md": b" ---\nname: c08-sf\ndescription: Purpose\n---\n\nBody.\n",
    "c09-comment-first/SKILL.md": b"<!-- x -->\n---\nname: c09-cf\ndescription: Late\n---\nBody.\n",
    "c10-yaml-lang/SKILL.md": b"---yaml\nname: c10-yl\ndescription: Purpose\n---\n\nBody.\n",
    "c11-empty-front/SKILL.md": b"---\n---\n\nBody of c11.\n",
    "c12-only-fence/SKILL.md": b"---\n",
    "c13-unclosed/SKILL.md": b"---\nname: c13-un\ndescription: Purpose\n\nBody without a fence.\n",
    "c14-empty-file/SKILL.md": b"",
    "c15-null/SKILL.md": front("name: c15-null\ndescription: ~"),
    "c16-nullword/SKILL.md": front("name: c16-nw\ndescription: null"),
    "c17-true/SKILL.md": front("name: c17-true\ndescription: true"),
    "c18-yes/SKILL.md": front("name: c18-yes\ndescription: yes"),
    "c19-int/SKILL.md": front("name: c19-int\ndescription: 42"),
    "c20-octal/SKILL.md": front("name: c20-octal\ndescription: 0o17"),
    "c21-oldoctal/SKILL.md": front("name: c21-oo\ndescription: 0017"),
    "c22-hex/SKILL.md": front("name: c22-hex\ndescription: 0x1F"),
    "c23-float/SKILL.md": front("name: c23-float\ndescription: 1e3"),
    "c24-date/SKILL.md": front("name: c24-date\ndescription: 2026-11-28"),
    "c25-time/SKILL.md": front("name: c25-time\ndescription: 12:30:45"),
    "c26-under/SKILL.md": front("name: c26-under\ndescription: 1_000"),
    "c27-inf/SKILL.md": front("name: c27-inf\ndescription: .inf"),
    "c28-map/SKILL.md": front("name: c28-map\ndescription:\n  one: two"),
    "c29-flowmap/SKILL.md": front("name: c29-fm\ndescription: {one: two}"),
    "c30-flowlist/SKILL.md": front("name: c30-fl\ndescription: [one, two]"),
    "c31-single/SKILL.md": front("name: c31-single\ndescription: 'It''s quoted'"),
    "c32-double/SKILL.md": front('name: c32-double\ndescription: "Line\\none\\ttab"'),
    "c33-strip/SKILL.md": front("name: c33-strip\ndescription: |-\n  One.\n  Two."),
    "c34-keep/SKILL.md": front("name: c34-keep\ndescription: |+\n  One.\n\n  Two.\n"),
    "c35-foldblank/SKILL.md": front("name: c35-fb\ndescription: >-\n  One\n\n  two\n    more."),
    "c36-indicator/SKILL.md": front("name: c36-ind\ndescription: |2\n    One.\n  Two."),
    "c37-strtag/SKILL.md": front("name: c37-tag\ndescription: !!str 42"),
    "c38-owntag/SKILL.md": front("name: c38-tag\ndescription: !mine Purpose"),
    "c39-percent/SKILL.md": front("name: c39-pct\ndescription: %Purpose"),
    "c40-at/SKILL.md": front("name: c40-at\ndescription: @Purpose"),
    "c41-backtick/SKILL.md": front("name: c41-bt\ndescription: `Purpose`"),
    "c42-star/SKILL.md": front("name: c42-star\ndescription: *Purpose"),
    "c43-amp/SKILL.md": front("name: c43-amp\ndescription: &Purpose"),
    "c44-bang/SKILL.md": front("name: c44-bang\ndescription: !Purpose"),
    "c45-unbalanced/SKILL.md": front('name: c45-unb\ndescription: "Purpose'),
    "c46-afterquote/SKILL.md": front('name: c46-aq\ndescription: "Purpose" and more'),
    "c47-bracket/SKILL.md": front("name: c47-br\ndescription: [Purpose"),
    "c48-nocolon/SKILL.md": front("name: c48-nc\ndescription: Purpose\nJust words"),
    "c49-spacecolon/SKILL.md": front("name : c49-sc\ndescription : Purpose"),
    "c50-quotedkey/SKILL.md": front('"name": c50-qk\n"descr\\u0069ption": Purpose'),
    "c51-nospace/SKILL.md": front("name:c51-ns\ndescription:Purpose"),
    "c52-complex/SKILL.md": front("? name\n: c52-cx\n? description\n: Purpose"),
    "c53-comment-line/SKILL.md": front("# a comment\nname: c53-cl\n# more\ndescription: Purpose"),
    "c54-hash/SKILL.md": front("name: c54-hash\ndescription: Purpose#not a comment"),
    "c55-quoted-hash/SKILL.md": front('name: c55-qh\ndescription: "Deploys # the site"'),
    "c56-blanks/SKILL.md": front("\nname: c56-bl\n\ndescription: Purpose\n"),
    "c57-two-docs/SKILL.md": b"---\nname: c57-td\n...\ndescription: Purpose\n---\n\nBody.\n",
    "c58-numname/SKILL.md": front("name: 123\ndescription: Purpose"),
    "c59-nullname/SKILL.md": front("name:\ndescription: Purpose"),
    "c60-truename/SKILL.md": front("name: true\ndescription: Purpose"),
    "c61-listname/SKILL.md": front("name: [c61, two]\ndescription: Purpose"),
    "c62-emptyname/SKILL.md": front('name: ""\ndescription: Purpose'),
    "c63-name64/SKILL.md": front(f"name: {'n' * 64}\ndescription: Purpose"),
    "c64-name65/SKILL.md": front(f"name: {'m' * 65}\ndescription: Purpose"),
    "c65-slash/SKILL.md": front("name: c65/slash\ndescription: Purpose"),
    "c66-colonname/SKILL.md": front('name: "c66: colon"\ndescription: Purpose'),
    "c67-angle/SKILL.md": front("name: c67-angle\ndescription: Uses <b>markup</b> & more"),
    "c68-d1024/SKILL.md": front(f"name: c68-d1024\ndescription: {'d' * 1024}"),
    "c69-d1025/SKILL.md": front(f"name: c69-d1025\ndescription: {'e' * 1025}"),
    "c70-emoji1024/SKILL.md": front("name: c70-emoji\ndescription: " + "\U0001f680" * 600),
    "c71-d60/SKILL.md": front(f"name: c71-d60\ndescription: {'f' * 60}"),
    "c72-d61/SKILL.md": front(f"name: c72-d61\ndescription: {'g' * 61}"),
    "c73-separator/SKILL.md": front("name: c73-ls\ndescription: One\u2028two"),
    "c74-nel/SKILL.md": front("name: c74-nel\ndescription: One\u0085two"),
    "c75-nbsp/SKILL.md": front("name: c75-nbsp\ndescription:\u00a0Purpose"),
    "c76-zwsp/SKILL.md": front("name: c76-zw\u200bsp\ndescription: Purpose"),
    "c77-nfd/SKILL.md": front("name: cafe\u0301\ndescription: Decomposed"),
    "c78-bom-inside/SKILL.md": front("name: c78-bi\n\ufeffdescription: Purpose"),
    "c79-two-boms/SKILL.md": b"\xef\xbb\xbf\xef\xbb\xbf" + skill("c79-tb", "Purpose"),
    "c80-utf16/SKILL.md": skill("c80-u16", "Purpose").decode().encode("utf-16"),
    "c81-nul/SKILL.md": front("name: c81-nul\ndescription: One\x00two"),
    "c82-control/SKILL.md": front("name: c82-ctl\ndescription: One\x07two"),
    "c83-formfeed/SKILL.md": b"---\nname: c83-ff\ndescription: Purpose\n\x0c---\n\nBody.\n",
    "c84-mixed-ends/SKILL.md": b"---\r\nname: c84-me\ndescription: Purpose\r\n---\n\nBody.\n",
    "c85-body-only-h1/SKILL.md": b"\n\n## Second heading\n\nText.\n",
    "c86-body-list/SKILL.md": b"- first item\n- second item\n",
    "c87-multi-merge/SKILL.md": front("a: &a {name: c87-mm}\nb: &b {description: P}\n<<: [*a, *b]"),
    "c88-deep/SKILL.md": front(
        "name: c88\ndescription: Purpose\nx:\n  y:\n    z: {a: [b, {c: d}]}"
    ),
    "c89-tab-comment/SKILL.md": front("name: c89-tc\ndescription: Purpose\t# comment"),
    "c90-trailing/SKILL.md": front("name: c90-tr   \ndescription: Purpose   "),
    "c91-dashes-body/SKILL.md": front("name: c91-db\ndescription: Purpose", "One\n---\nTwo"),
    "c92-block-dashes/SKILL.md": front("name: c92-bd\ndescription: |\n  One\n  ---\n  Two"),
    "c93-quoted-multi/SKILL.md": front('name: c93-qm\ndescription: "One\n  two\n\n  three"'),
    "c94-colon-end/SKILL.md": front("name: c94-ce\ndescription: Purpose:"),
    "c95-url/SKILL.md": front("name: c95-url\ndescription: See http://a.example: it works"),
    "c96-colon-block/SKILL.md": front("name: c96-cb\ndescription: One: two\n  three: four"),
    "c97-crlf-block/SKILL.md": front("name: c97\ndescription: |\n  One.\n  Two.").replace(
        b"\n", b"\r\n"
    ),
    "c98-sameas-c99/SKILL.md": front("name: Same-Case\ndescription: Upper"),
    "c99-sameas-c98/SKILL.md": front("name: same-case\ndescription: Lower"),
}

_NAMES: Final = (
    "a b", "a(b)", "a.b", "ä", "a'b", "a,b", "a;b", "a&b", "a<b", "a|b", "\U0001f680", "a\\b",
    "a@b", "a+b", "a=b", "a~b", "a%b", "a?b", "a*b", "a$b", "a!b", "日本", "ＦＵＬＬ", "a\u00a0b",
    "a\u00adb", "A B C", "-x", "_x", "x-", "--", "...", "a..b",
)  # fmt: skip
D: Final[dict[str, bytes]] = {
    **{
        f"d{at:02d}-alias/SKILL.md": front(
            f"name: {json.dumps(name, ensure_ascii=False)}\ndescription: Alias {at}"
        )
        for at, name in enumerate(_NAMES)
    },
    "d90-pair/SKILL.md": front('name: d90\ndescription: "One \\ud83d\\ude80 two"'),
    "e01/SKILL.md": front(f"name: e01\ndescription: {'x' * 3_000}"),
    "e02/SKILL.md": front("name: e02\nother: []", "\n\n   # Spaced heading"),
    "e03/SKILL.md": b"#NoSpace heading\n\nText\n",
    "e04/SKILL.md": b"> quote\n",
    "e05/SKILL.md": b"####### seven\n",
    "e06/SKILL.md": b"   \n\t\n  ## indented\n",
    "e07/SKILL.md": b"Long first line " * 100 + b"\n",
    "e08/SKILL.md": front("name: e08\ndescription: {a: b} c"),
    "e09/SKILL.md": front("name: e09\ndescription: a # b: c"),
    "e10/SKILL.md": front('name: e10\ndescription: "q": r'),
    "e11/SKILL.md": front("name: e11\ndescription: - dash: x"),
    "e12/SKILL.md": front("name: e12\nother: [\ndescription: Bad before"),
    "e13/SKILL.md": front("name: e13\ndescription: ? q: x"),
    "e14/SKILL.md": front("name: e14\ndescription:   spaced:  two"),
    "e15/SKILL.md": front("name: e15\n description: bad indent"),
    "e16/SKILL.md": front("name: e16\ndescription: One: two\nother:\n\t- item"),
    "e17/SKILL.md": front("name: e17\ndescription: A:b"),
    "e18/SKILL.md": front("name: e18\ndescription: a - b: c\nx.y: d: e"),
    "e19/SKILL.md": front("name: e19\nmy key: a: b\ndescription: Purpose"),
    "e20/SKILL.md": front("name: e20\ndescription: 'a': b"),
    "e21/SKILL.md": front("name: e21\ndescription: a: 'b' \"c\" \\d"),
    "e22/SKILL.md": front("name: e22\ndescription: >\n  fold: with\n  @two\nlicense: a: b"),
    "e23/SKILL.md": front("name: e23\ndescription: a: b # c"),
    "e24/SKILL.md": front("- name: e24\n- description: Purpose"),
    "e25/SKILL.md": front("name: e25\ndescription: Purpose\n---\nmore: x"),
    "g/noname/SKILL.md": front("description: Nested without a name"),
    "1/2/3/4/5/6/SKILL.md": skill("deep6", "Six deep"),
    "1/2/3/4/5/6/7/SKILL.md": skill("deep7", "Seven deep"),
    "2/2/3/4/5/6/7/SKILL.md": skill("deep7b", "Seven deep alone"),
    "3/2/3/4/5/6/7/8/SKILL.md": skill("deep8", "Eight deep alone"),
}

E: Final[dict[str, bytes]] = {
    "f01/SKILL.md": b"--- \t\nname: f01\ndescription: Open with tab\n---\n\nBody f01.\n",
    "f02/SKILL.md": b"---\r\nname: f02\r\ndescription: Mixed\n---\r\n\nBody f02.\n",
    "f03/SKILL.md": b"---\nname: f03\ndescription: Purpose\n--- # end\n\nBody f03.\n",
    "f04/SKILL.md": b"---\n\n---\n\nBody f04 after an empty one.\n",
    "f05/SKILL.md": b"---\n# only a comment\n---\n\nBody f05.\n",
    "f06/SKILL.md": b"---\nname: f06\ndescription: Purpose\n----\n\nBody f06.\n",
    "f07/SKILL.md": b"---\nname: f07\ndescription: Purpose\n ---\n---\n\nBody f07.\n",
    "f08/SKILL.md": b"---\nname: f08\ndescription: Purpose\n---   text after\n---\n\nBody f08.\n",
    "f09/SKILL.md": b'+++\nname = "f09"\ndescription = "Toml"\n+++\n\nBody f09.\n',
    "f10/SKILL.md": b'{"name": "f10", "description": "Json"}\n\nBody f10.\n',
    "f11/SKILL.md": b'---json\n{"name": "f11", "description": "Json"}\n---\n\nBody f11.\n',
    "f12/SKILL.md": b'---\n{"name": "f12", "description": "Json in YAML"}\n---\n\nBody f12.\n',
    "f13/SKILL.md": b"\n\n---\nname: f13\ndescription: Two blanks\n---\n\nBody f13.\n",
    "f14/SKILL.md": b"\x0c---\nname: f14\ndescription: Form feed first\n---\n\nBody f14.\n",
    "f15/SKILL.md": b"\xe2\x80\x8b---\nname: f15\ndescription: Zero width\n---\n\nBody f15.\n",
    "f16/SKILL.md": front("%YAML 1.2\nname: f16\ndescription: Directive"),
    "f17/SKILL.md": front("name: f17\ndescription: |+1\n  One\n   two"),
    "f18/SKILL.md": front("name: f18\ndescription: >+\n\n  One\n\n\n  two\n"),
    "f19/SKILL.md": front("name: f19\ndescription: |\n\tTabbed block"),
    "f20/SKILL.md": front("name: f20\ndescription: |  # note\n  One line"),
    "f21/SKILL.md": front("name: f21\ndescription: >2-\n    Deep\n  shallow"),
    "f22/SKILL.md": front("name: f22\ndescription: 'One\n  two\n\n\n  three'"),
    "f23/SKILL.md": front('name: f23\ndescription: "One \\\n  joined"'),
    "f24/SKILL.md": front('name: f24\ndescription: "Bad \\q escape"'),
    "f25/SKILL.md": front('name: f25\ndescription: "Hex \\x41 and \\U0001F680 and \\e"'),
    "f26/SKILL.md": front('name: f26\ndescription: "Nul \\0 inside"'),
    "f27/SKILL.md": front("name: f27\ndescription: Off"),
    "f28/SKILL.md": front("name: f28\ndescription: y"),
    "f29/SKILL.md": front("name: f29\ndescription: NULL"),
    "f30/SKILL.md": front("name: f30\ndescription: -0"),
    "f31/SKILL.md": front("name: f31\ndescription: +12"),
    "f32/SKILL.md": front("name: f32\ndescription: 0b101"),
    "f33/SKILL.md": front("name: f33\ndescription: 1.50"),
    "f34/SKILL.md": front("name: f34\ndescription: 123456789012345678901234567890"),
    "f35/SKILL.md": front("name: f35\ndescription: 2026-11-28T10:00:00Z"),
    "f36/SKILL.md": front("name: f36\ndescription: .NaN"),
    "f37/SKILL.md": front("name: f37\ndescription: 190:20:30.15"),
    "f38/SKILL.md": front("name: f38\ndescription: ="),
    "f39/SKILL.md": front("name: f39\ndescription: <<"),
    "f40/SKILL.md": front('name: f40\ndescription: !!int "7"'),
    "f41/SKILL.md": front("name: f41\ndescription: !!binary aGVsbG8="),
    "f43/SKILL.md": front("name: f43\ndescription: !!null x"),
    "f44/SKILL.md": front("name: f44\ndescription: []"),
    "f45/SKILL.md": front("name: f45\ndescription: {}"),
    "f46/SKILL.md": front("name: f46\ndescription: [a, [b, c], {d: e}]"),
    "f47/SKILL.md": front("name: f47\ndescription:\n- dash at margin\n- two"),
    "f48/SKILL.md": front("name: f48\ndescription: [one,\n  two,\n]"),
    "f49/SKILL.md": front("name: f49\ndescription: a, b] c} d"),
    "f50/SKILL.md": front("name: f50\ndescription: a ? b | c > d"),
    "f51/SKILL.md": front("name: f51\ndescription: | not a block"),
    "f52/SKILL.md": front("name: f52\ndescription: > not folded"),
    "f53/SKILL.md": front("name: f53\ndescription: -dash"),
    "f54/SKILL.md": front("name: f54\ndescription: - item"),
    "f55/SKILL.md": front("name: f55\ndescription: ,comma first"),
    "f56/SKILL.md": front("name: f56\ndescription: 'it's broken'"),
    "f57/SKILL.md": front("name: f57\ndescription: '"),
    "f58/SKILL.md": front('name: f58\ndescription: ""'),
    "f59/SKILL.md": front("name: f59\ndescription: '   '", "First of f59."),
    "f60/SKILL.md": front("name: f60\nDescription: Upper key\ndescription: lower key"),
    "f61/SKILL.md": front("NAME: f61\nname: f61n\ndescription: P"),
    "f62/SKILL.md": front("name: f62\n'description': Single quoted key"),
    "f63/SKILL.md": front("name: f63\n!!str description: Tagged key"),
    "f64/SKILL.md": front("name: f64\n&k description: Anchored key"),
    "f65/SKILL.md": front("x: &d description\nname: f65\n*d : Aliased key"),
    "f66/SKILL.md": front("name: f66\ndescription: Purpose\nname: f66b"),
    "f67/SKILL.md": front("name: f67\ndescription: Purpose\nlicense: A\nlicense: B"),
    "f68/SKILL.md": front("name: f68\ndescription: Purpose\nmetadata:\n  a: 1\n  a: 2"),
    "f69/SKILL.md": front("name: f69\ndescription: Purpose\n1: one\ntrue: two\n~: three"),
    "f70/SKILL.md": front("name: f70\ndescription: Purpose\n[a, b]: c"),
    "f71/SKILL.md": front("name: f71\ndescription: Purpose\n{a: b}: c"),
    "f72/SKILL.md": front("<<: {description: Merged in, name: f72m}\nname: f72"),
    "f73/SKILL.md": front("name: f73\n<<: {description: First}\n<<: {description: Second}"),
    "f74/SKILL.md": front("name: f74\n<<: 7\ndescription: P"),
    "f75/SKILL.md": front("name: f75\ndescription: *missing"),
    "f76/SKILL.md": front("name: &n f76\ndescription: *n"),
    "f77/SKILL.md": front("name: f77\ndescription: &a [*a]"),
    "f78/SKILL.md": front("name: f78\ndescription: Purpose\n\u2028license: x"),
    "f79/SKILL.md": front("name: f79\ndescription: One\u2029two"),
    "f80/SKILL.md": front("name: f80\ndescription: One\x0btwo"),
    "f81/SKILL.md": front("name: f81\ndescription: One\x7ftwo"),
    "f82/SKILL.md": front("name: f82\ndescription: One\u009ftwo"),
    "f83/SKILL.md": front("name: f83\ndescription: One\ufffetwo"),
    "f84/SKILL.md": front("name: f84\ndescription: One\u200etwo\u202ethree"),
    "f85/SKILL.md": front("name: f85\ndescription: One\rtwo"),
    "f86/SKILL.md": front("name: f86\ndescription: Trailing tab\t"),
    "f87/SKILL.md": front("name: f87\ndescription:Purpose\ndescription: Real"),
    "f88/SKILL.md": front("name: f88\ndescription: a\n  # comment\n  b"),
    "f89/SKILL.md": front("name: f89\ndescription: a\n# comment at margin\n  b"),
    "f90/SKILL.md": front("name: f90\ndescription: a\n\n  b"),
    "f91/SKILL.md": front("name: f91\ndescription:\n\n\n  Late value"),
    "f92/SKILL.md": front("name: f92\ndescription: Purpose\n  nested: map"),
    "f93/SKILL.md": front('name: f93\ndescription: Purpose\ndisable-model-invocation: "true"'),
    "f94/SKILL.md": front("name: f94\ndescription: Purpose\ndisable-model-invocation: True"),
    "f95/SKILL.md": front("name: f95\ndescription: Purpose\ndisable-model-invocation: yes"),
    "f96/SKILL.md": front("name: f96\ndescription: Purpose\ndisable-model-invocation: 1"),
    "f97/SKILL.md": front("name: f97\ndescription: Purpose\ndisable-model-invocation: [true]"),
    "f98/SKILL.md": front(
        "name: f98\ndescription: Purpose\nuser-invocable: false\ndisable-model-invocation: true"
    ),
    "f99/SKILL.md": front("name: f99\ndescription: Purpose\ndisable_model_invocation: true"),
    "fa-name-space/SKILL.md": front("name: '  fa1  '\ndescription: Spaces around"),
    "fb-name-newline/SKILL.md": front("name: |\n  fb1\n  two\ndescription: Two lines"),
    "fc-date/SKILL.md": front("name: 2026-11-28\ndescription: Date name"),
    "fd-map/SKILL.md": front("name: {a: b}\ndescription: Map name"),
    "fe-Folder Name/SKILL.md": front("description: Folder with space"),
    "ff.dots.in/SKILL.md": front("description: Folder with dots"),
    "fg/Skill.md": skill("fg", "Title case file"),
    "fh/SKILL.MD": skill("fh", "Upper suffix"),
    "fi/SKILL.markdown": skill("fi", "Long suffix"),
    "fj/sub/SKILL.md": skill("fj-sub", "One below without a head"),
    "fk/SKILL.md": skill("fk", "Outer"),
    "fk/scripts/SKILL.md": skill("fk-scripts", "In scripts"),
    "fk/agents/SKILL.md": skill("fk-agents", "In agents"),
    "dist/SKILL.md": skill("f-dist", "In dist"),
    "build/SKILL.md": skill("f-build", "In build"),
    ".venv/SKILL.md": skill("f-dotvenv", "In .venv"),
    "target/SKILL.md": skill("f-target", "In target"),
    ".system/SKILL.md": skill("f-system", "In .system"),
    "bundled/SKILL.md": skill("f-bundled", "In bundled"),
    ".svn/SKILL.md": skill("f-svn", "In .svn"),
    "fl/SKILL.md": front("name: fl\ndescription: Purpose\nplatforms: [windows]"),
    "fm/SKILL.md": front("name: fm\ndescription: Purpose\nplatforms: linux"),
    "fn/SKILL.md": front(
        "name: fn\ndescription: Purpose\nmetadata:\n  hermes:\n    requires_toolsets: [none-such]"
    ),
    "fo/SKILL.md": front(
        'name: fo\ndescription: P\nmetadata: \'{"openclaw": {"requires": {"bins": ["none"]}}}\''
    ),
    "fp/SKILL.md": front(
        'name: fp\ndescription: Purpose\nmetadata: {"openclaw": {"os": ["win32"]}}'
    ),
    "fq/SKILL.md": front(
        "name: fq\ndescription: Purpose\nmetadata:\n  short-description: Short one"
    ),
    "fr/SKILL.md": front("name: fr\ndescription: Purpose\nwhen_to_use: [a, b]"),
    "fs/SKILL.md": front("name: fs\ndescription: Purpose\nwhen-to-use: Hyphens"),
    "ft/SKILL.md": front("name: ft\nid: ft-id\ntitle: Ft Title\ndescription: Purpose"),
    "fu/SKILL.md": front("name: fu\ndescription: Purpose\nenvironments: [docker]"),
    "fv/SKILL.md": front("name: fv\ndescription: Purpose\npaths: ['*.none']"),
    "fw/SKILL.md": front("name: fw\ndescription: Purpose\ncontext: fork\nagent: none"),
    "fx/SKILL.md": front("name: fx\ndescription: Purpose\nversion: 1\nenabled: false"),
}
"""A third set, written from what the agents' behaviour has in classes, before it was tried."""
_SIGNS: Final = (
    *(
        0x00AD,
        0x034F,
        0x061C,
        0x115F,
        0x1680,
        0x180E,
        0x2000,
        0x200B,
        0x200D,
        0x200E,
        0x2010,
        0x2028,
    ),
    *(
        0x202E,
        0x202F,
        0x2060,
        0x2064,
        0x2069,
        0x206F,
        0x3000,
        0x3164,
        0xE000,
        0xFE0F,
        0xFEFF,
        0xFFF9,
    ),
    *(0xFFFC, 0xFFFD, 0xFFFE, 0xFFFF, 0xE0001, 0xE0041, 0xE0100, 0xF0000, 0x1F3FB, 0x0301, 0x80),
    *(0x84, 0x85, 0x90, 0x9B, 0x9C, 0x9D, 0x9E, 0x9F, 0x7F, 0x01, 0x08, 0x0B, 0x1B, 0x07),
)
_TRUE: Final = (
    *("1", "1.0", "2", "'1'", "on", "'on'", "y", "t", "TRUE", "yes", "'yes'", "0", "false", "[]"),
    *("{}", "'no'", "truex", "' true '"),
)
_PATHS: Final = (
    *("'*.none'", "[]", "''", "'**'", "['**']", "['**/*']", "null", "true", "7", "{a: b}", "['']"),
    *("[7]", "'**, *.x'", "'*'", "[null]"),
)
_WHEN: Final = (
    *("[a, b]", "[a, [b, c]]", "{a: b}", "7", "true", "null", "''", "[]", "[null, a]"),
    *("|\n  x\n  y", "[{a: b}]"),
)
_NUMBERS: Final = (
    *("9007199254740993", "12345678901234567890", "-123456789012345678901234567890", "1e21"),
    *("1e-7", "123456789.123456789123", "-0.0", "00012", "0.00001"),
)
F: Final[dict[str, bytes]] = {
    **{f"g{s:05x}/SKILL.md": skill(f"g{s:05x}", f"One{chr(s)}two") for s in _SIGNS},
    "g-colour/SKILL.md": skill("g-colour", '"One\\e[31mred\\e[0mtwo"'),
    "g-title/SKILL.md": skill("g-title", '"One\\e]0;title\\atwo"'),
    **{
        f"h{at:02d}/SKILL.md": skill(f"h{at:02d}", "P", f"disable-model-invocation: {value}\n")
        for at, value in enumerate(_TRUE)
    },
    **{
        f"p{at:02d}/SKILL.md": skill(f"p{at:02d}", "P", f"paths: {value}\n")
        for at, value in enumerate(_PATHS)
    },
    **{
        f"w{at:02d}/SKILL.md": skill(f"w{at:02d}", "P", f"when_to_use: {value}\n")
        for at, value in enumerate(_WHEN)
    },
    **{f"n{at:02d}/SKILL.md": skill(f"n{at:02d}", value) for at, value in enumerate(_NUMBERS)},
}
"""What Claude Code does with signs that nobody sees, switches, and numbers."""

ALL: Final = (A, B, C, D, E, F)


def write(root: Path, *sets: dict[str, bytes]) -> None:
    """Writes these forms below a folder of skills."""
    for path, data in (item for forms in sets for item in forms.items()):
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def link(root: Path, outside: Path) -> None:
    """Writes the linked forms of `A`: their targets lie in `outside`."""
    write(outside, A_OUTSIDE)
    for path, target in A_LINKS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).symlink_to(outside / target)
