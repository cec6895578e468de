/** What a node of the analysis `tally` sent, and what arrived there. */
interface NodeTally {
  readonly sent: readonly string[]
  readonly arrived: readonly string[]
}

export interface MessageCount {
  readonly sent: number
  readonly lost: number
  /** Arrived more than once, with the same id. */
  readonly twice: number
  /** Arrived with an id that nobody sent. */
  readonly unknown: number
}

/** Each node sends to all others, so every id has to be at all nodes but one. */
export function countMessages(text: string): MessageCount {
  const nodes = JSON.parse(text) as readonly NodeTally[]
  const count = { sent: 0, lost: 0, twice: 0, unknown: 0 }
  const known = new Set(nodes.flatMap(({ sent }) => sent))
  for (const receiver of nodes) {
    const expected = nodes.filter((one) => one !== receiver).flatMap(({ sent }) => sent)
    const arrived = new Set(receiver.arrived)
    count.sent += expected.length
    count.lost += expected.filter((id) => !arrived.has(id)).length
    count.twice += receiver.arrived.length - arrived.size
    count.unknown += [...arrived].filter((id) => !known.has(id)).length
  }
  return count
}
