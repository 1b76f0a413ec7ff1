/**
 * The policy that `ruleprint init` writes: an example of everything, with the reasons.
 * @module
 */
export const samplePolicy = `# What agents may do. Deny wins over ask, and ask over allow, wherever the rules stand;
# what no rule allows is denied.
#
#   ruleprint check policy.yaml        every problem with its line, or the digest of these rules
#
# Quote every pattern: an unquoted * means something else in YAML.

# An engine takes only a higher version than the one it has: raise it with every change.
version: 1

rules:
  # One tool call is judged as several actions: the call of the tool, and what the call does to files.
  # All of them must be allowed, so the tools are allowed here and the files below.
  - name: file-tools
    effect: allow
    agents: any
    action: { tool: { server: "filesystem", name: "*" } }

  # * stays within one folder, ** covers any number of them. Reading includes listing.
  - name: read-project
    effect: allow
    agents: any
    action: { filesystem: { path: "/srv/app/**", methods: [read] } }

  # Writing includes creating. Agents are named exactly.
  - name: build-output
    effect: allow
    agents: { one_of: ["builder"] }
    action: { filesystem: { path: "/srv/app/out/**", methods: [read, write, delete] } }

  # No other rule can open what a deny rule closes.
  - name: no-keys
    effect: deny
    agents: any
    action: { filesystem: { path: "/srv/app/keys/**", methods: any } }

  # *.example.com covers the names in front of it and not example.com itself.
  - name: docs-online
    effect: allow
    agents: any
    action: { network: { host: "*.example.com", ports: { from: 443, to: 443 }, methods: [GET, HEAD] } }

  # The arguments one by one; ** as the last one covers all that follow.
  - name: run-tests
    effect: allow
    agents: { one_of: ["builder"] }
    action: { process: { argv: ["npm", "test", "**"] } }

  # Ask means a human decides; where nobody can be asked it is a deny.
  - name: push-needs-a-human
    effect: ask
    agents: any
    action: { process: { argv: ["git", "push", "**"] } }
`;
