/**
 * How fast files go in and out, against a bare Node.js pipeline that makes the same copies on the same store: uploads with
 * their digest, downloads, and tars of many small files, by both in turns. `BENCH_STORE=s3` measures against a Ceph gateway.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'

import { cpuMicroseconds } from '#tests/bench/load'
import { startServer, type BenchServer } from '#tests/bench/servers'
import { startRadosgw } from '#tests/services/servers/radosgw'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7)
const MIB = Number(process.env.BENCH_MIB ?? 256)
const TARS = process.env.BENCH_STORE === 's3' ? 1 : 3
const LEAST_RATIO = 0.75

type Work = 'upload' | 'download' | 'tar'
type Who = 'platform' | 'bare'

interface Figures {
  perSecond: number
  cpuMs: number
}

/** Each tells how much it did. */
const WORKS: Record<Work, (url: string) => Promise<number>> = {
  async upload(url) {
    await exchange('PUT', `${url}/large`, MIB)
    return MIB
  },
  async download(url) {
    const bytes = await exchange('GET', `${url}/large`)
    return bytes / 1024 ** 2
  },
  async tar(url) {
    for (let n = 0; n < TARS; n++) await exchange('GET', `${url}.tar`)
    return TARS
  },
}

const piece = randomBytes(1024 ** 2)
const kind = process.env.BENCH_STORE === 's3' ? 's3' : 'fs'
const former = JSON.parse(readFileSync(new URL('./former_storage.json', import.meta.url), 'utf8'))[
  kind
] as Record<Work, number>

const folder = await mkdtemp(join(tmpdir(), 'analysis-hub-bench-'))
const gateway = kind === 's3' ? await startRadosgw() : undefined
let server: BenchServer | undefined
try {
  server = await startServer('./storage_server.mjs', {
    BENCH_FOLDER: folder,
    ...(gateway && { BENCH_S3_URL: gateway.url }),
  })
  const held = await compare(server)
  process.exitCode = held ? 0 : 1
} finally {
  await server?.stop()
  await gateway?.stop()
  await rm(folder, { recursive: true })
}

async function compare(measured: BenchServer): Promise<boolean> {
  let held = true
  for (const work of ['upload', 'download', 'tar'] as const) {
    const rounds: Record<Who, Figures[]> = { platform: [], bare: [] }
    for (let round = 0; round <= ROUNDS; round++) {
      for (const who of ['platform', 'bare'] as const) {
        const figures = await measure(measured, work, who)
        if (round > 0) rounds[who].push(figures)
      }
    }
    const isFastEnough = report(work, fastest(rounds.platform), fastest(rounds.bare))
    held = held && isFastEnough
  }
  return held
}

async function measure({ url, pid }: BenchServer, work: Work, who: Who): Promise<Figures> {
  if (work === 'upload') await exchange('DELETE', `${url}/platform/large`)
  const cpuBefore = cpuMicroseconds(pid)
  const startedAt = performance.now()
  const amount = await WORKS[work](`${url}/${who}`)
  const seconds = (performance.now() - startedAt) / 1000
  return {
    perSecond: amount / seconds,
    cpuMs: (cpuMicroseconds(pid) - cpuBefore) / 1000 / amount,
  }
}

/** Interference only ever slows down, so that the fastest round is the one that was measured best. */
function fastest(rounds: Figures[]): Figures {
  return rounds.toSorted((a, b) => b.perSecond - a.perSecond)[0]!
}

function report(work: Work, platform: Figures, bare: Figures): boolean {
  const ratio = platform.perSecond / bare.perSecond
  const unit = work === 'tar' ? 'tar' : 'MiB'
  const shown = ({ perSecond, cpuMs }: Figures) =>
    `${perSecond.toFixed(1)} ${unit}/s (${cpuMs.toFixed(1)} ms of server CPU per ${unit})`
  console.log(
    `${kind} ${work.padEnd(8)} platform ${shown(platform)}, bare ${shown(bare)}: ` +
      `${Math.round(ratio * 100)} % (at least ${LEAST_RATIO * 100} %); the former system made ${former[work]} ${unit}/s`
  )
  return ratio >= LEAST_RATIO
}

/** Sends so many MiB, and counts the bytes of the answer. */
function exchange(method: string, url: string, mib = 0): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = { 'content-length': mib * piece.length }
  const sent = request(url, { method, headers }, async (response) => {
    let bytes = 0
    try {
      for await (const chunk of response) bytes += (chunk as Buffer).length
      if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`)
      resolve(bytes)
    } catch (error) {
      reject(error)
    }
  })
  sent.once('error', reject)
  Readable.from(Array.from({ length: mib }, () => piece)).pipe(sent)
  return promise
}
