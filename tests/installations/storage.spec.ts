import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { buffer, text } from 'node:stream/consumers'

import { test } from '@japa/runner'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { eventually } from '#tests/helpers/eventually'

const MIB = 1024 ** 2

/** The storage of a running hub, and a caller who may use it. */
async function storageOf(hub: HubProcesses) {
  const url = `${hub.origin}/storage`
  const login = await fetch(`${hub.origin}/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'password', username: 'admin', password: 'start123' }),
  })
  const { access_token: token } = (await login.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${token}` }
  const made = await fetch(`${url}/buckets`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'a-bucket' }),
  })
  const { data } = (await made.json()) as { data: { id: string } }
  const upload = async (files: Record<string, Buffer>) => {
    const form = new FormData()
    for (const [path, content] of Object.entries(files)) {
      form.append('f', new File([content], path))
    }
    const response = await fetch(`${url}/buckets/${data.id}/upload`, {
      method: 'POST',
      headers,
      body: form,
    })
    return { status: response.status, body: (await response.json()) as any }
  }
  return { url, headers, bucketId: data.id, upload }
}

test.group('Storage in a process of its own', () => {
  test('streams in both directions end well while the process is stopping', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('server')
    cleanup(() => hub.remove())
    const { url, headers, bucketId, upload } = await storageOf(hub)
    const content = randomBytes(24 * MIB)
    const { body } = await upload({ 'large.bin': content })

    const reading = request(`${url}/bucket-files/${body.data[0].id}/stream`, { headers }).end()
    const [response] = (await once(reading, 'response')) as [IncomingMessage]
    const sending = request(`${url}/buckets/${bucketId}/upload`, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'multipart/form-data; boundary=b',
        'expect': '100-continue',
      },
    })
    const answer = once(sending, 'response') as Promise<[IncomingMessage]>
    const arrived = once(sending, 'continue')
    sending.write('--b\r\ncontent-disposition: form-data; name="f"; filename="late"\r\n\r\n')
    sending.write(content.subarray(0, MIB))
    await arrived

    hub.signal('SIGTERM')
    const readiness = `${hub.origin}/core/health/ready`
    await eventually(async () => !(await fetch(readiness).catch(() => undefined))?.ok)
    sending.end('the end\r\n--b--\r\n')
    const [answered] = await answer
    assert.equal(answered.statusCode, 201)
    assert.equal(JSON.parse(await text(answered)).data[0].size, MIB + 7)
    assert.isTrue((await buffer(response)).equals(content))
    assert.equal(await hub.exit, 0)
    await hub.gone()
  })

  test('the environment limits the files of an upload, and their size', async ({
    assert,
    cleanup,
  }) => {
    const variables = { UPLOAD_MAX_BYTES: '1000', UPLOAD_MAX_FILES: '2' }
    const hub = await HubProcesses.start('server', { variables })
    cleanup(() => hub.remove())
    const { upload } = await storageOf(hub)
    const small = Buffer.alloc(1_000)
    assert.equal((await upload({ a: small, b: small })).status, 201)
    for (const files of [{ c: Buffer.alloc(1_001) }, { d: small, e: small, f: small }]) {
      const { status, body } = await upload(files as never)
      assert.equal(status, 413)
      assert.equal(body.code, 'payload_too_large')
    }
    assert.equal((await upload({ c: small, d: small })).status, 201)
  })
})
