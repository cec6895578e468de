/**
 * What writing costs beside reading, in processor time of one process that does everything: an update of a project by sixteen at
 * once, the creation of a node with its client at a provider elsewhere, and a download of 4 KiB, each against the read of a node
 * in the same run; and the most memory that the process takes meanwhile.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'

import { cpuMicroseconds } from './load.js'
import { measureHub } from './measured_hub.js'

const CONNECTIONS = 16
const SECONDS = Number(process.env.BENCH_SECONDS ?? 8)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const SMALL_BYTES = 4_096
const MOST_MIB = 300

/** In milliseconds; for comparison, reading a node takes 0.13. */
const READ_MS = 0.13
const LIMITS_MS = { update: 1.2, creation: 2.5, download: 0.5 }

type Work = 'read' | keyof typeof LIMITS_MS
type Request = () => Promise<unknown>

await measureHub({ SURFACES: 'core,storage' }, async ({ hub, token }) => {
  const costs = await medians(hub.pid, await works(hub.origin, token))
  return report(costs, mostMemory(hub.pid))
})

async function works(origin: string, token: string): Promise<Record<Work, Request>> {
  const send = requesting(origin, token)
  const node = await send('POST', '/core/nodes', { name: 'read' })
  const project = await send('POST', '/core/projects', { name: 'updated' })
  const bucket = await send('POST', '/storage/buckets', { name: 'benchmark' })
  const file = await upload(`${origin}/storage/buckets/${bucket.data.id}/upload`, token)
  let count = 0
  return {
    read: () => send('GET', `/core/nodes/${node.data.id}`),
    update: () => send('POST', `/core/projects/${project.data.id}`, { name: `named-${count++}` }),
    creation: () => send('POST', '/core/nodes', { name: `node-${count++}` }),
    download: () => send('GET', `/storage/bucket-files/${file}/stream`),
  }
}

function requesting(origin: string, token: string) {
  return (method: string, path: string, body?: object): Promise<any> =>
    new Promise((resolve, reject) => {
      const headers = { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' }
      const sent = request(origin + path, { method, headers }, async (response) => {
        const content = Buffer.concat(await response.toArray())
        if (response.statusCode! >= 300) {
          reject(
            new Error(`${method} ${path} was answered with ${response.statusCode}: ${content}`)
          )
        }
        const isJson = response.headers['content-type']?.startsWith('application/json')
        resolve(isJson ? JSON.parse(String(content)) : content)
      })
      sent.once('error', reject).end(body && JSON.stringify(body))
    })
}

async function upload(url: string, token: string): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([randomBytes(SMALL_BYTES)]), 'small.bin')
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(url, { method: 'POST', headers, body: form })
  const { data } = (await response.json()) as { data: { id: string }[] }
  return data[0]!.id
}

/** The works take turns, so that whatever else the machine does is shared; the first round is to warm up. */
async function medians(
  pid: number,
  requests: Record<Work, Request>
): Promise<Record<Work, number>> {
  const costs: Record<Work, number[]> = { read: [], update: [], creation: [], download: [] }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const work of Object.keys(costs) as Work[]) {
      const each = await cost(pid, requests[work], round === 0 ? 2 : SECONDS)
      if (round > 0) {
        costs[work].push(each)
      }
    }
  }
  const middle = (all: number[]) => all.toSorted((a, b) => a - b)[all.length >> 1]!
  const { read, update, creation, download } = costs
  return {
    read: middle(read),
    update: middle(update),
    creation: middle(creation),
    download: middle(download),
  }
}

async function cost(pid: number, work: Request, seconds: number): Promise<number> {
  const before = cpuMicroseconds(pid)
  const until = performance.now() + seconds * 1_000
  let answered = 0
  const connection = async () => {
    while (performance.now() < until) {
      await work()
      answered++
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  return (cpuMicroseconds(pid) - before) / answered
}

function mostMemory(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Number(kilobytes) / 1024
}

function report(costs: Record<Work, number>, mebibytes: number): boolean {
  console.log(`read of a node: ${costs.read.toFixed(0)} us of server CPU`)
  const lock = (Object.keys(LIMITS_MS) as (keyof typeof LIMITS_MS)[]).map((work) => {
    const times = costs[work] / costs.read
    const most = LIMITS_MS[work] / READ_MS
    console.log(
      `${work}: ${costs[work].toFixed(0)} us, ${times.toFixed(1)} times a read (at most ${most.toFixed(1)})`
    )
    return times <= most
  })
  console.log(`memory: at most ${mebibytes.toFixed(0)} MiB (below ${MOST_MIB})`)
  return lock.every(Boolean) && mebibytes < MOST_MIB
}
