"""How agents read the files that instruct them: a SKILL.md, a memory, an index.

`agents` is the table: one row for each agent. `frontmatter` splits and parses a text as an agent
does, `listing` gives the name and the description that its model is shown, `discovery` says which
files of a folder it loads, `bodies` and `memory` how much of a text reaches the model.
"""
