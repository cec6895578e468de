import { keyOf, type Note } from './note.js'

interface Evidence {
  /** Committed changes, in the order of each record. */
  readonly kept: readonly Note[]
  /** Changes that clients got confirmed. */
  readonly promised: readonly Note[]
  /** Events that a consumer received, in order and with duplicates. */
  readonly heard: readonly Note[]
  /** What is in the audit trail. */
  readonly audited: readonly Note[]
}

const FEW = 5

/**
 * Lists problems: none if every committed change was received in order and audited once, and nothing else was.
 */
export function judge({ kept: stored, promised, heard: observed, audited }: Evidence): string[] {
  const changes = stored.filter(isChange)
  return [
    ...reported('were answered to be done, and are not', missing(promised, changes)),
    ...reported('were kept and never heard of on the bus', missing(changes, observed)),
    ...reported('were heard of on the bus, and never kept', missing(observed, changes)),
    ...reported('were first heard of on the bus in another order', outOfOrder(changes, observed)),
    ...reported('are not in the audit trail just once', notOnce(stored, audited)),
    ...reported(
      'are in the audit trail, and were never kept',
      missing(audited, stored, auditKeyOf)
    ),
  ]
}

function reported(problem: string, keys: readonly string[]): string[] {
  const examples = keys.slice(0, FEW).join(', ')
  return keys.length === 0 ? [] : [`${keys.length} ${problem}: ${examples}`]
}

function missing(wanted: readonly Note[], there: readonly Note[], key = keyOf): string[] {
  const known = new Set(there.map(key))
  return [...new Set(wanted.map(key))].filter((each) => !known.has(each))
}

/** Records whose changes were first received in another order than they were committed. */
function outOfOrder(stored: readonly Note[], observed: readonly Note[]): string[] {
  const wanted = byRecord(stored)
  return [...byRecord(observed)].flatMap(([record, keys]) => {
    const own = wanted.get(record) ?? new Set()
    const order = [...keys].filter((key) => own.has(key))
    const shouldBe = [...own].filter((key) => keys.has(key))
    const isSame = shouldBe.every((key, index) => order[index] === key)
    return isSame ? [] : [`${order.join(' < ')} instead of ${shouldBe.join(' < ')}`]
  })
}

function byRecord(notes: readonly Note[]): Map<string, Set<string>> {
  const records = new Map<string, Set<string>>()
  for (const note of notes) {
    const keys = records.get(note.record) ?? new Set()
    records.set(note.record, keys.add(keyOf(note)))
  }
  return records
}

function notOnce(stored: readonly Note[], audited: readonly Note[]): string[] {
  const counts = new Map<string, number>()
  for (const key of audited.map(auditKeyOf)) {
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return stored
    .map(auditKeyOf)
    .filter((key) => counts.get(key) !== 1)
    .map((key) => `${key} (${counts.get(key) ?? 0} times)`)
}

/** The audit trail records the changes of updates, and only the fact of other operations. */
function auditKeyOf(note: Note): string {
  const isNamed = note.change === 'updated' || note.change === 'commanded'
  return keyOf(isNamed ? note : { ...note, label: '' })
}

function isChange({ change }: Note): boolean {
  return change !== 'commanded'
}
