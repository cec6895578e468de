import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

import { test } from '@japa/runner'

import { HubProcesses } from '#tests/helpers/hub_processes'

const ADMIN = { grant_type: 'password', username: 'admin', password: 'start123' }
const APPROVED = { approvalStatus: 'approved' }

interface Answer {
  status: number
  headers: Headers
  body: any
}

async function request(
  token: string,
  url: string,
  method = 'GET',
  body?: object | FormData
): Promise<Answer> {
  const isForm = body instanceof FormData
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && !isForm && { 'content-type': 'application/json' }),
    },
    body: isForm ? body : body && JSON.stringify(body),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith('{') ? JSON.parse(text) : text,
  }
}

/** Like `request`, for a record that must be answered. */
async function record(...args: Parameters<typeof request>): Promise<any> {
  const { status, body } = await request(...args)
  if (status >= 300) {
    throw new Error(`${args[2]} ${args[1]}: ${status}`)
  }
  return body.data
}

async function tokenFrom(provider: string, form: Record<string, string>): Promise<string> {
  const body = new URLSearchParams(form)
  const response = await fetch(`${provider}/token`, { method: 'POST', body })
  return ((await response.json()) as { access_token: string }).access_token
}

/** An address of core that can be taken away while everything else stays. */
async function inFrontOf(origin: string) {
  const { hostname, port } = new URL(origin)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const behind = connect(Number(port), hostname)
    for (const [from, to] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {}).on('close', () => void to.destroy())
      from.pipe(to)
    }
  })
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const address = server.address() as AddressInfo
  const revoke = () => {
    server.close()
    sockets.forEach((socket) => socket.destroy())
  }
  return {
    origin: `http://127.0.0.1:${address.port}`,
    takeAway: revoke,
    bringBack: () => listen(address.port),
  }
}

test.group('Storage beside core, closed to machines of other realms', (group) => {
  let core: string
  let provider: string
  let storage: string
  let admin: string
  let realmId: string
  let front: Awaited<ReturnType<typeof inFrontOf>>

  group.setup(async () => {
    const hub = await HubProcesses.start('server', { variables: { SURFACES: 'core,identity' } })
    front = await inFrontOf(hub.origin)
    core = `${hub.origin}/core`
    provider = `${hub.origin}/auth`
    const alone = await HubProcesses.start('server', {
      variables: {
        SURFACES: 'storage',
        JOBS: 'none',
        IDENTITY_URL: provider,
        CORE_URL: `${front.origin}/core`,
        STORAGE_STRICT_REALM: 'true',
      },
    })
    storage = alone.origin
    admin = await tokenFrom(provider, ADMIN)
    const { id } = await record(admin, `${provider}/realms`, 'POST', { name: 'site' })
    realmId = id
    return async () => {
      front.takeAway()
      await Promise.all([alone.remove(), hub.remove()])
    }
  })

  /** A node of the other realm, and the token of its client. */
  async function newNode() {
    const body = { name: `node-${randomUUID()}`, realmId }
    const { id, clientId } = await record(admin, `${core}/nodes`, 'POST', body)
    const client = `${provider}/clients/${clientId}?fields=%2Bsecret`
    const { secret } = await record(admin, client)
    const token = await tokenFrom(provider, {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: secret,
    })
    return { id, token }
  }

  /** An analysis that a node is asked to take part in, and a bucket for it. */
  async function newAnalysis(nodeId: string) {
    const name = `project-${randomUUID()}`
    const { id: projectId } = await record(admin, `${core}/projects`, 'POST', { name })
    const member = await record(admin, `${core}/project-nodes`, 'POST', { projectId, nodeId })
    await record(admin, `${core}/project-nodes/${member.id}`, 'POST', APPROVED)
    const analysis = await record(admin, `${core}/analyses`, 'POST', { name, projectId })
    const part = { analysisId: analysis.id, nodeId }
    const { id: partId } = await record(admin, `${core}/analysis-nodes`, 'POST', part)
    const bucket = { name: randomUUID(), refType: 'analysis', refId: analysis.id }
    const { id: bucketId } = await record(admin, `${storage}/buckets`, 'POST', bucket)
    const row = { analysisId: analysis.id, type: 'RESULT', bucketId }
    await record(admin, `${core}/analysis-buckets`, 'POST', row)
    const [file] = (await send(admin, bucketId)).body.data
    return { partId, bucketId, fileId: file.id }
  }

  const approve = (partId: string) =>
    record(admin, `${core}/analysis-nodes/${partId}`, 'POST', APPROVED)

  function send(token: string, bucketId: string): Promise<Answer> {
    const form = new FormData()
    form.append('f', new File(['content'], randomUUID()))
    return request(token, `${storage}/buckets/${bucketId}/upload`, 'POST', form)
  }

  /** What a client is answered for each use of a bucket. */
  async function usesOf(token: string, made: { bucketId: string; fileId: string }) {
    const answers = [
      await request(token, `${storage}/buckets/${made.bucketId}`),
      await request(token, `${storage}/bucket-files/${made.fileId}`),
      await request(token, `${storage}/bucket-files/${made.fileId}/stream`),
      await request(token, `${storage}/buckets/${made.bucketId}/stream`),
      await send(token, made.bucketId),
    ]
    return answers.map(({ status }) => status)
  }

  test('the client of a node reaches the bucket of the analysis it agreed to, and no other', async ({
    assert,
  }) => {
    const node = await newNode()
    const agreed = await newAnalysis(node.id)
    const open = await newAnalysis(node.id)
    const ofOthers = await newAnalysis((await newNode()).id)
    await approve(agreed.partId)
    await approve(ofOthers.partId)

    assert.deepEqual(await usesOf(node.token, agreed), [200, 200, 200, 200, 201])
    for (const made of [open, ofOthers]) {
      assert.deepEqual(await usesOf(node.token, made), [403, 403, 403, 403, 403])
    }
    const listed = await record(node.token, `${storage}/buckets`)
    assert.deepEqual(
      listed.map(({ id }: { id: string }) => id),
      [agreed.bucketId]
    )
  })

  test('a caller whose reach core must provide gets a retry error while core is unavailable', async ({
    assert,
    cleanup,
  }) => {
    const [known, unknown] = [await newNode(), await newNode()]
    const made = await newAnalysis(unknown.id)
    await approve(made.partId)
    const bucket = `${storage}/buckets/${made.bucketId}`
    assert.equal((await request(known.token, bucket)).status, 403)

    let isAway = true
    cleanup(() => (isAway ? front.bringBack() : undefined))
    front.takeAway()
    const { status, headers, body } = await request(unknown.token, bucket)
    assert.equal(status, 503)
    assert.equal(body.code, 'service_unavailable')
    assert.isNotEmpty(headers.get('retry-after'))
    assert.deepEqual(await usesOf(unknown.token, made), [503, 503, 503, 503, 503])
    assert.equal((await request(unknown.token, `${storage}/buckets`)).status, 503)
    assert.equal((await request(known.token, bucket)).status, 403, 'was asked about a moment ago')
    assert.deepEqual(await usesOf(admin, made), [200, 200, 200, 200, 201])

    await front.bringBack()
    isAway = false
    assert.deepEqual(await usesOf(unknown.token, made), [200, 200, 200, 200, 201])
  })
})
