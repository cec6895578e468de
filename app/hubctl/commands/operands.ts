import { UsageProblem } from '#hubctl/problem'

/** `get node north`, or `get node/north` as `-o name` writes it. */
export function parseOperands(
  kind: string,
  names: readonly string[]
): { kind: string; names: string[] } {
  const [head = '', first] = splitOperand(kind)
  const rest = names.map((name) => {
    const [own, record] = splitOperand(name)
    if (record === undefined) {
      return name
    }
    if (own !== head) {
      throw new UsageProblem(
        `"${name}" is of another kind than "${kind}".`,
        'Ask for one kind at a time.'
      )
    }
    return record
  })
  return { kind: head, names: first === undefined ? rest : [first, ...rest] }
}

/** Names may have a slash of their own: only what looks like a kind stands in front of one. */
function splitOperand(text: string): [string, string?] {
  const slash = text.indexOf('/')
  return slash > 0 && /^[a-zA-Z][a-zA-Z-]*$/.test(text.slice(0, slash))
    ? [text.slice(0, slash), text.slice(slash + 1)]
    : [text]
}

/** At least one name, for what is done to records. */
export function requireNames(kind: string, names: readonly string[]): void {
  if (names.length === 0) {
    throw new UsageProblem(`Which ${kind}?`, 'Say an id or a name behind the kind.')
  }
}
