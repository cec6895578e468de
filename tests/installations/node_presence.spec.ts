import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

import { test } from '@japa/runner'

import { eventually } from '#tests/helpers/eventually'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { realTime } from '#tests/helpers/real_time'

/** A client that calls twice a second, whatever the answer is. */
const CALLER = `
const [url, token] = process.argv.slice(1)
setInterval(() => {
  fetch(url, { headers: { authorization: 'Bearer ' + token } })
    .then((response) => response.arrayBuffer())
    .catch(() => {})
}, 500)`

interface Presence {
  readonly online: boolean
  readonly since: string | null
  readonly spans: readonly { readonly from: string; readonly until: string | null }[]
}

/** The hub with a node, seen by its first user. */
async function hubWithNode(hub: HubProcesses) {
  const tokenOf = async (form: Record<string, string>): Promise<string> => {
    const body = new URLSearchParams(form)
    const response = await fetch(`${hub.origin}/auth/token`, { method: 'POST', body })
    return ((await response.json()) as { access_token: string }).access_token
  }
  const token = await tokenOf({ grant_type: 'password', username: 'admin', password: 'start123' })
  const call = async (method: string, path: string, body?: object): Promise<any> => {
    const response = await fetch(`${hub.origin}/core${path}`, {
      method,
      headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return response.json()
  }
  const { data: node } = await call('POST', '/nodes', { name: 'north' })
  const { id, secret } = await call('POST', `/nodes/${node.id}/client/credentials`, {})
  const own = { grant_type: 'client_credentials', client_id: id, client_secret: secret }
  const ofNode = await tokenOf(own)
  const presence = async (): Promise<Presence> =>
    (await call('GET', `/nodes/${node.id}/presence`)).data
  return { presence, caller: () => startCaller(`${hub.origin}/messenger/messages`, ofNode) }
}

function startCaller(url: string, token: string): ChildProcess {
  return spawn(process.execPath, ['-e', CALLER, url, token], { stdio: 'ignore' })
}

/** The half minute passes in the hub, so nothing is gained by asking often. */
async function seldom(presence: () => Promise<Presence>): Promise<Presence> {
  await realTime(500, 'the half minute is that of the hub')
  return presence()
}

test.group('A node', (group) => {
  group.tap((one) => one.timeout(600_000))

  test('whose process is killed is away after half a minute, and back with its next call', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('server')
    cleanup(() => hub.remove())
    const { presence, caller } = await hubWithNode(hub)
    const callers: ChildProcess[] = []
    cleanup(() => callers.forEach((process) => process.kill('SIGKILL')))
    const start = () => callers[callers.push(caller()) - 1]!

    const first = start()
    await eventually(async () => (await presence()).online, 60_000)
    first.kill('SIGKILL')
    await once(first, 'exit')
    await eventually(async () => !(await seldom(presence)).online, 400_000)
    const { since } = await presence()
    assert.isAtLeast(Date.now() - Date.parse(since!), 30_000, 'Half a minute of silence at least')
    start()
    await eventually(async () => (await presence()).online, 60_000)
    assert.lengthOf((await presence()).spans, 2)
  })
})
