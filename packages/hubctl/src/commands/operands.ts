import { UsageProblem } from '#hubctl/problem'

/** Parses `get node north`, or `get node/north` as `-o name` prints it. */
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
        'Use one kind per command.'
      )
    }
    return record
  })
  return { kind: head, names: first === undefined ? rest : [first, ...rest] }
}

/** Splits at the first slash only if a kind precedes it: names may contain slashes. */
function splitOperand(text: string): [string, string?] {
  const slash = text.indexOf('/')
  return slash > 0 && /^[a-zA-Z][a-zA-Z-]*$/.test(text.slice(0, slash))
    ? [text.slice(0, slash), text.slice(slash + 1)]
    : [text]
}

/** Requires at least one name. */
export function requireNames(kind: string, names: readonly string[]): void {
  if (names.length === 0) {
    throw new UsageProblem(`No ${kind} was named.`, 'Add an id or a name after the kind.')
  }
}
