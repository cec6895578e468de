import type { Draw } from '#tests/chaos/draw'

interface Named {
  readonly name: string
}

interface OrderOptions {
  readonly draw: Draw
  /** How often each of them is wanted. */
  readonly rounds: number
  /** What took place before, and counts. */
  readonly earlier: readonly Named[]
}

/** All take turns, in an order of chance each time, until each was there as often as wanted. */
export function inOrder<Item extends Named>(
  items: readonly Item[],
  { draw, rounds, earlier }: OrderOptions
): Item[] {
  const times = (name: string) => earlier.filter((item) => item.name === name).length
  return Array.from({ length: rounds }, (_, turn) =>
    draw.shuffled(items.filter(({ name }) => times(name) <= turn))
  ).flat()
}
