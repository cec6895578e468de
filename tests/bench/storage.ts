/**
 * How fast files go in and out by the platform's own routes, with everything that belongs to them, against a bare Node.js
 * pipeline that makes the same copies on the same store: an upload with its digest, a download, and tars of many small files,
 * by both in turns. `BENCH_STORE=s3` measures against a Ceph gateway.
 */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { cpuMicroseconds } from './load.js'
import { startServer, type BenchServer } from './servers.js'
import { bare, platform, type Candidate } from './storage_candidates.js'
import { s3VariablesFor } from '#tests/helpers/storage/s3_store'
import { testDatabase } from '#tests/helpers/database/test_database'
import { testEnvironment } from '#tests/helpers/test_environment'
import { startRadosgw } from '#tests/services/servers/radosgw'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7)
const MIB = Number(process.env.BENCH_MIB ?? 256)
const LEAST_RATIO = 0.75

const WORKS = ['upload', 'download', 'tar'] as const
type Work = (typeof WORKS)[number]

interface Contender {
  candidate: Candidate
  server: BenchServer
}

interface Figures {
  perSecond: number
  cpuMs: number
}

const kind = process.env.BENCH_STORE === 's3' ? 's3' : 'fs'
const former = JSON.parse(readFileSync(new URL('./former_storage.json', import.meta.url), 'utf8'))[
  kind
] as Record<Work, number>

testEnvironment()
const folder = await mkdtemp(join(tmpdir(), 'analysis-hub-bench-'))
const database = await testDatabase()
const gateway = kind === 's3' ? await startRadosgw() : undefined
const servers: BenchServer[] = []
try {
  const contenders = await begin()
  let lock = true
  for (const work of WORKS) {
    lock = (await compare(work, contenders)) && lock
  }
  process.exitCode = lock ? 0 : 1
} finally {
  for (const server of servers) {
    await server.stop()
  }
  await gateway?.stop()
  await database.stop()
  await rm(folder, { recursive: true })
}

async function begin(): Promise<Record<'platform' | 'bare', Contender>> {
  const ours = await startServer('./platform_server.mjs', {
    SURFACES: 'storage,identity',
    JOBS: 'none',
    STORAGE_PATH: folder,
    ...(gateway && s3VariablesFor(gateway.url)),
  })
  servers.push(ours)
  const theirs = await startServer('./bare_storage_server.mjs', {
    BENCH_FOLDER: folder,
    ...(gateway && { BENCH_S3_URL: gateway.url }),
  })
  servers.push(theirs)
  return {
    platform: { server: ours, candidate: await platform(ours.url, MIB) },
    bare: { server: theirs, candidate: await bare(theirs.url, MIB) },
  }
}

/** The first round of each is to warm up. */
async function compare(work: Work, contenders: Record<'platform' | 'bare', Contender>) {
  const rounds: Record<'platform' | 'bare', Figures[]> = { platform: [], bare: [] }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const who of ['platform', 'bare'] as const) {
      const figures = await measure(work, contenders[who])
      if (round > 0) {
        rounds[who].push(figures)
      }
      const isLast = round === ROUNDS
      if (work === 'upload' && !isLast) {
        await contenders[who].candidate.clear()
      }
    }
  }
  return report(work, fastest(rounds.platform), fastest(rounds.bare))
}

async function measure(work: Work, { candidate, server }: Contender): Promise<Figures> {
  const amount = work === 'tar' ? 1 : MIB
  const cpuBefore = cpuMicroseconds(server.pid)
  const startedAt = performance.now()
  await candidate[work]()
  const seconds = (performance.now() - startedAt) / 1000
  return {
    perSecond: amount / seconds,
    cpuMs: (cpuMicroseconds(server.pid) - cpuBefore) / 1000 / amount,
  }
}

/** Interference only ever slows down, so that the fastest round is the one that was measured best. */
function fastest(rounds: Figures[]): Figures {
  return rounds.toSorted((a, b) => b.perSecond - a.perSecond)[0]!
}

function report(work: Work, ours: Figures, theirs: Figures): boolean {
  const ratio = ours.perSecond / theirs.perSecond
  const unit = work === 'tar' ? 'tar' : 'MiB'
  const shown = ({ perSecond, cpuMs }: Figures) =>
    `${perSecond.toFixed(1)} ${unit}/s (${cpuMs.toFixed(1)} ms of server CPU per ${unit})`
  console.log(
    `${kind} ${work.padEnd(8)} platform ${shown(ours)}, bare ${shown(theirs)}: ` +
      `${Math.round(ratio * 100)} % (at least ${LEAST_RATIO * 100} %); the former system made ${former[work]} ${unit}/s`
  )
  return ratio >= LEAST_RATIO
}
