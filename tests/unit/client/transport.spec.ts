import { inspect } from 'node:util'

import { test } from '@japa/runner'

import { boundedBody, BodyUnusable } from '#client/body'
import { fixedToken, SharedToken } from '#client/credentials'
import { Refused, Unreachable } from '#client/failures'
import { Transport } from '#client/transport'
import { describeClientUser } from '#tests/helpers/client/behaviours'
import { authorizationOf, sendJson, TestPlatform } from '#tests/helpers/client/test_platform'
import { eventually } from '#tests/helpers/eventually'

const MIB = 1024 ** 2

const issuedBy = (platform: TestPlatform) =>
  new SharedToken(async () => ({ token: platform.issue(), renewAt: Infinity }))

describeClientUser({
  name: 'the transport',
  renews: true,
  connect: (platform) => {
    const transport = new Transport({ credentials: issuedBy(platform) })
    return (signal) => transport.json(`${platform.url}/core/things`, { signal })
  },
})

async function connected(cleanup: (end: () => void) => void) {
  const platform = await TestPlatform.start(cleanup)
  const transport = new Transport({ credentials: issuedBy(platform) })
  return { platform, transport, address: `${platform.url}/core/things` }
}

test.group('The transport', () => {
  test('the transport sends query, headers and JSON', async ({ assert, cleanup }) => {
    const { platform, address } = await connected(cleanup)
    const credentials = fixedToken(platform.issue())
    const transport = new Transport({ credentials, headers: () => ({ 'x-of-all': 'all' }) })
    const bodies: string[] = []
    platform.answer = async (response, request) => {
      bodies.push((await request.setEncoding('utf8').toArray()).join(''))
      sendJson(response, {}, 201)
    }
    const call = {
      query: { name: 'a b', count: 1, none: undefined },
      headers: { 'x-of-one': 'one' },
      json: { a: 1 },
    }
    await transport.json(address, { method: 'POST', ...call })

    const [{ method, url, headers } = {}] = platform.requests
    assert.equal(`${method} ${url}`, 'POST /core/things?name=a+b&count=1')
    assert.include(headers, { 'x-of-all': 'all', 'x-of-one': 'one', 'accept': 'application/json' })
    assert.deepEqual(bodies, ['{"a":1}'])
  })

  test('the transport has the code, message and issues of a refusal', async ({
    assert,
    cleanup,
  }) => {
    const { platform, transport, address } = await connected(cleanup)
    const issues = [{ code: 'value_invalid', path: ['name'], message: 'It is too short' }]
    const envelope = { code: 'invalid', message: 'The name is invalid', issues }
    const headers = { 'retry-after': '7', 'x-request-id': 'request' }
    platform.answer = (response) => sendJson(response, envelope, 429, headers)

    const refused: unknown = await transport.json(address).catch((error: unknown) => error)
    assert.instanceOf(refused, Refused)
    assert.deepInclude(
      { ...(refused as Refused) },
      {
        status: 429,
        code: 'invalid',
        reason: 'The name is invalid',
        issues,
        retryAfterMs: 7_000,
        requestId: 'request',
      }
    )
  })

  for (const [what, body] of [
    ['not JSON', '<html>'],
    ['of other types', '{"code":1,"message":{},"issues":"none"}'],
    ['null', 'null'],
    ['too long', `{"message":"${'a'.repeat(2 * MIB)}"}`],
  ] as const) {
    test(`the transport knows the status of a refusal whose body is ${what}`, async ({
      assert,
      cleanup,
    }) => {
      const { platform, transport, address } = await connected(cleanup)
      platform.answer = (response) => void response.writeHead(502).end(body)

      const refused = (await transport.json(address).catch((error: unknown) => error)) as Refused
      assert.equal(refused.message, 'The server answered with the status 502')
      assert.deepEqual([refused.code, refused.issues, refused.isPassing], [undefined, [], true])
    })
  }

  test('the transport abandons an answer whose headers do not arrive', async ({
    assert,
    cleanup,
  }) => {
    const { platform, transport, address } = await connected(cleanup)
    platform.answer = () => {}
    await assert.rejects(
      () => transport.json(address, { timeoutMs: 50 }),
      `${platform.url} cannot be reached: no answer in 0.05 s`
    )
    await assert.rejects(() => transport.json(address, { answerMs: 60 }), /no answer in 0.06 s/)
  })

  test('the transport abandons an answer that does not end in its time', async ({
    assert,
    cleanup,
  }) => {
    const { platform, transport, address } = await connected(cleanup)
    platform.answer = (response) => void response.writeHead(200).write('{')
    await assert.rejects(() => transport.json(address, { answerMs: 200 }), /timeout/)
  })

  test('limits the headers of an answer, and not its body', async ({ assert, cleanup }) => {
    const { platform, transport, address } = await connected(cleanup)
    const limited = Promise.withResolvers<void>()
    platform.answer = async (response) => {
      response.writeHead(200).write('{"a":')
      await limited.promise
      response.end('1}')
    }
    const response = await transport.open(address, { timeoutMs: 1_000 })
    setTimeout(limited.resolve, 1_200)
    assert.deepEqual(await response.json(), { a: 1 })
  })

  test('the transport says that a server is away', async ({ assert, cleanup }) => {
    const { platform, transport, address } = await connected(cleanup)
    platform.answer = (response) => void response.destroy()
    const error: unknown = await transport.json(address).catch((reason: unknown) => reason)
    assert.instanceOf(error, Unreachable)
    assert.equal((error as Unreachable).origin, platform.url)
  })

  test('the transport knows a body that breaks off', async ({ assert, cleanup }) => {
    const { platform, transport, address } = await connected(cleanup)
    platform.answer = (response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{', () => response.destroy())
    }
    const error: unknown = await transport.json(address).catch((reason: unknown) => reason)
    assert.instanceOf(error, BodyUnusable)
    assert.equal((error as BodyUnusable).problem, 'brokeOff')
  })

  test('the transport takes 64 MiB as they are read', async ({ assert, cleanup }) => {
    const { platform, transport, address } = await connected(cleanup)
    let sent = 0
    let isBlocked = false
    platform.answer = async (response) => {
      for (; sent < 64 * MIB; sent += MIB) {
        isBlocked = !response.write(Buffer.alloc(MIB))
        if (isBlocked) {
          await new Promise((resolve) => response.once('drain', resolve))
        }
      }
      response.end()
    }
    const { body } = await transport.open(address)
    const chunks = boundedBody(body!, { maxBytes: 64 * MIB })
    let received = (await chunks.next()).value!.byteLength as number
    await eventually(() => isBlocked)
    assert.isBelow(sent, 48 * MIB)
    for await (const chunk of chunks) {
      received += chunk.byteLength
    }
    assert.equal(received, 64 * MIB)
  })

  test('renews the token of a late refusal without another request', async ({
    assert,
    cleanup,
  }) => {
    const { platform, address } = await connected(cleanup)
    const credentials = issuedBy(platform)
    const first = await credentials.token()
    const second = await credentials.renewed(first)
    assert.equal(await credentials.renewed(first), second)
    assert.equal(platform.issued, 2)
    await new Transport({ credentials }).json(address)
    assert.equal(authorizationOf(platform.requests[0]!), `Bearer ${second}`)
  })

  test('requests a token again where that failed', async ({ assert }) => {
    let attempts = 0
    const credentials = new SharedToken(async () => {
      attempts += 1
      if (attempts === 1) {
        throw new Error('away')
      }
      return { token: 'token', renewAt: Infinity }
    })
    await assert.rejects(() => credentials.token(), 'away')
    assert.equal(await credentials.token(), 'token')
  })

  for (const token of ['secret-token\n', 'secret-token ä', 'secret token']) {
    test(`the transport does not show a token that cannot be sent: ${JSON.stringify(token)}`, async ({
      assert,
      cleanup,
    }) => {
      const { address } = await connected(cleanup)
      const transport = new Transport({ credentials: fixedToken(token) })
      const error: unknown = await transport.json(address).catch((reason: unknown) => reason)
      assert.instanceOf(error, TypeError)
      assert.notInclude(inspect(error, { depth: 10, showHidden: true }), 'secret')
    })
  }

  test('the transport does not show the password of an address', async ({ assert }) => {
    const error: unknown = await new Transport()
      .json('http://name:secret@127.0.0.1:1/')
      .catch((reason: unknown) => reason)
    assert.instanceOf(error, TypeError)
    assert.notInclude(inspect(error, { depth: 10, showHidden: true }), 'secret')
  })
})
