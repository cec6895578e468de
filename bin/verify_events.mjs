/*
 * Checks an export of the audit trail without the platform: node verify_events.mjs events.ndjson [fingerprint]
 * `node ace audit:verify` shows the fingerprint; without it, the signer of the export is not verified.
 */
import { createHash, createPublicKey, verify } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

const ORDER =
  'id scope name refType refId data expiring requestPath requestMethod requestIpAddress requestUserAgent actorType actorId actorName realmId expiresAt createdAt updatedAt'
const LEAF_BYTES = 32
const NEWEST_VERSION = 2

const [file, fingerprint] = process.argv.slice(2)
const counts = { events: 0, removed: 0, problems: 0 }
const reporters = new Map()
let key
let batch
let last = { number: 0, digest: null }

function expect(holds, problem) {
  counts.problems += holds ? 0 : 1
  return holds || console.error(problem)
}

const sha256 = (content) => createHash('sha256').update(content).digest()

function signed({ statement, signature }) {
  const bytes = Buffer.from(signature, 'base64')
  const isOurs = key !== undefined && verify(null, Buffer.from(statement), key, bytes)
  expect(isOurs, `not signed by this key: ${statement}`)
  return JSON.parse(statement)
}

function sorted(value) {
  if (typeof value !== 'object' || value === null) {
    return value
  }
  const entries = Object.entries(value).map(([name, inner]) => [name, sorted(inner)])
  const isList = Array.isArray(value)
  return isList
    ? entries.map(([, inner]) => inner)
    : Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function leafOf(event) {
  const known = { ...event, data: sorted(event.data) }
  const reporter = event.reportedBy ? [sorted(event.reportedBy)] : []
  return sha256(JSON.stringify([...ORDER.split(' ').map((name) => known[name]), ...reporter]))
}

const readers = {
  trail({ publicKey, version }) {
    const isReadable = version <= NEWEST_VERSION
    expect(isReadable, `version ${version} is newer than this script: take that of the platform`)
    const found = sha256(publicKey).toString('hex').slice(0, 32)
    expect(!fingerprint || found === fingerprint, `the key is ${found}, not ${fingerprint}`)
    key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    console.log(`signed with the key ${found}`)
  },
  batch(record) {
    endBatch()
    const [, , chain, number, previous, root, size, expiresAt] = signed(record)
    const leaves = Buffer.from(record.leaves, 'base64')
    const follows = number === last.number + 1 && previous === last.digest
    expect(follows, `batch ${number} of ${chain} does not follow ${last.number}`)
    const isWhole = sha256(leaves).toString('hex') === root && leaves.length === size * LEAF_BYTES
    expect(isWhole, `batch ${number} of ${chain} has other leaves than were signed`)
    last = { number, digest: sha256(record.statement).toString('hex') }
    batch = { chain, number, size, leaves, expiresAt, gone: new Set(), seen: new Set() }
  },
  removal(record) {
    const [, , chain, number, positions, reason, removedAt] = signed(record)
    const isDue = reason !== 'expired' || (batch.expiresAt && batch.expiresAt <= removedAt)
    const counted = chain === batch.chain && number === batch.number && isDue
    batch.gone = counted
      ? batch.gone.union(new Set(positions ?? Array(batch.size).keys()))
      : batch.gone
  },
  event(event, { position }) {
    const leaf = batch.leaves.subarray(position * LEAF_BYTES, (position + 1) * LEAF_BYTES)
    expect(leafOf(event).equals(leaf), `event ${event.id} was changed`)
    batch.seen.add(position)
    const type = event.reportedBy?.type ?? 'unknown'
    reporters.set(type, (reporters.get(type) ?? 0) + 1)
  },
  head(record) {
    endBatch()
    const [, , chain, number, digest] = signed(record)
    const isEnd = number === last.number && (number === 0 || digest === last.digest)
    expect(isEnd, `${chain} ends at ${last.number}, and should at ${number}`)
    last = { number: 0, digest: null }
  },
}

function endBatch() {
  for (let at = 0; at < (batch?.size ?? 0); at++) {
    const isKnown = batch.seen.has(at) || batch.gone.has(at)
    expect(isKnown, `event ${at} of batch ${batch.number} of ${batch.chain} is missing`)
  }
  counts.events += batch?.seen.size ?? 0
  counts.removed += batch?.gone.size ?? 0
  batch = undefined
}

for await (const line of createInterface({ input: createReadStream(file) })) {
  const content = JSON.parse(line)
  const kind = Object.keys(content).find((name) => readers[name])
  readers[kind](content[kind], content)
}
endBatch()
expect(last.number === 0, 'the export breaks off')
console.log(
  `${counts.events} events, ${counts.removed} removed in order, ${counts.problems} problems`
)
console.log(`reported by ${[...reporters].map(([type, count]) => `${type} ${count}`).join(', ')}`)
process.exitCode = counts.problems === 0 ? 0 : 1
