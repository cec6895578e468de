export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

/**
 * Larger texts are shown as removed and added as a whole: the comparison needs memory for the product of both sizes.
 */
const MAX_LINES = 500

/** Merges the lines of two texts, marking lines that only one of them has. */
export function diffLines(former: string, current: string): DiffLine[] {
  const removed = linesOf(former)
  const added = linesOf(current)
  if (removed.length > MAX_LINES || added.length > MAX_LINES) {
    return [...marked('removed', removed), ...marked('added', added)]
  }
  const common = commonLengths(removed, added)
  const lines: DiffLine[] = []
  let [from, to] = [0, 0]
  while (from < removed.length || to < added.length) {
    if (from < removed.length && to < added.length && removed[from] === added[to]) {
      lines.push({ kind: 'same', text: removed[from]! })
      from++
      to++
    } else if (to >= added.length || common[from + 1]?.[to]! >= common[from]![to + 1]!) {
      lines.push({ kind: 'removed', text: removed[from++]! })
    } else {
      lines.push({ kind: 'added', text: added[to++]! })
    }
  }
  return lines
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'))

const marked = (kind: DiffLine['kind'], lines: readonly string[]): DiffLine[] =>
  lines.map((text) => ({ kind, text }))

/** The length of the longest common sequence of the lines from each pair of positions on. */
function commonLengths(one: readonly string[], other: readonly string[]): number[][] {
  const lengths = Array.from({ length: one.length + 1 }, () =>
    new Array<number>(other.length + 1).fill(0)
  )
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      lengths[i]![j] =
        one[i] === other[j]
          ? lengths[i + 1]![j + 1]! + 1
          : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!)
    }
  }
  return lengths
}
