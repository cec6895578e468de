import { once } from 'node:events'
import { connect } from 'node:net'

import { test } from '@japa/runner'

import { at } from '#tests/helpers/application'
import { eventually } from '#tests/helpers/eventually'
import { Wire } from '#tests/helpers/http/wire'

const PATH = '/probe/bodies'
const NAME = 'äöü €'
const BODY = JSON.stringify({ name: NAME, publicKey: 'x'.repeat(2_000) })

function headWith(headers: Record<string, string> = {}): string {
  const { host, pathname } = new URL(at('core', PATH))
  const all = {
    host,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(BODY)),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n`
}

const nameIn = (body: Buffer) => (JSON.parse(body.toString()) as { name: string }).name

test.group('A body is read', () => {
  test('when it came with its head, and when it comes after that', async ({ assert, cleanup }) => {
    const wire = await Wire.open(at('core'))
    cleanup(() => wire.close())
    for (let turn = 0; turn < 3; turn++) {
      assert.equal(nameIn((await wire.ask(headWith() + BODY)).body), NAME)
      const { status } = await wire.ask(headWith({ expect: '100-continue' }))
      assert.equal(status, 100)
      assert.equal(nameIn((await wire.ask(BODY)).body), NAME)
    }
  })

  test('when the next request came in the same packet', async ({ assert, cleanup }) => {
    const { hostname, port } = new URL(at('core'))
    const socket = connect(Number(port), hostname)
    cleanup(() => void socket.destroy())
    await once(socket, 'connect')
    let received = ''
    socket.on('data', (chunk: Buffer) => void (received += chunk.toString()))
    socket.write((headWith() + BODY).repeat(3))
    const names = await eventually(() => {
      const found = received.match(/"name":"[^"]+"/g) ?? []
      return found.length === 3 && found
    })
    assert.deepEqual(names, Array(3).fill(`"name":"${NAME}"`))
  })
})
