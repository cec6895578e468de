import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { test } from '@japa/runner'

import { addDataSourceRoutes } from '#node/gateway/data_source_routes'
import { Gateway } from '#node/gateway/gateway'
import { Router } from '#node/gateway/router'
import { AnalysisTokens } from '#node/gateway/tokens'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

const PROJECT = 'heart-study'
const PATIENTS = { resourceType: 'Bundle', total: 2 }

interface ReceivedRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly authorization: string | undefined
  readonly apikey: unknown
}

/** A small server that speaks FHIR, and a gateway that gives it to an analysis. */
test.group('A FHIR server as a data source', (group) => {
  let fhir: Server
  let gateway: Gateway
  let socket: string
  let seen: ReceivedRequest[]
  let refusals: string[]
  let tokens: AnalysisTokens

  group.each.setup(async ({ context: { cleanup } }) => {
    seen = []
    refusals = []
    fhir = createServer((received, response) => {
      const { method, url, headers } = received
      seen.push({ method, url, authorization: headers.authorization, apikey: headers.apikey })
      const isKnown = headers.authorization === `Basic ${btoa('reader:pass word')}`
      response.writeHead(isKnown ? (url?.includes('Unknown') ? 404 : 200) : 401, {
        'content-type': 'application/fhir+json',
        'set-cookie': 'session=of-the-hospital',
      })
      response.end(JSON.stringify(PATIENTS))
    }).listen(0, '127.0.0.1')
    await once(fhir, 'listening')
    const { port } = fhir.address() as AddressInfo
    socket = join(await temporaryFolder(cleanup), 'out')
    tokens = new AnalysisTokens('an-analysis')
    const router = new Router()
    addDataSourceRoutes(router, PROJECT, [
      { name: 'clinic', type: 'fhir', url: `http://reader:pass%20word@127.0.0.1:${port}/fhir` },
    ])
    gateway = await Gateway.listen(socket, router, tokens, {
      refused: (...refusal) => refusals.push(refusal.join(' ')),
    })
    cleanup(async () => {
      await gateway.close()
      fhir.close()
      fhir.closeAllConnections()
    })
  })

  async function ask(path: string, method = 'GET', apikey = tokens.data) {
    const asking = request({ socketPath: socket, path, method, headers: { apikey } })
    asking.end()
    const [response] = (await once(asking, 'response')) as [IncomingMessage]
    return { status: response.statusCode, headers: response.headers, body: await text(response) }
  }

  test('the server answers what the server answers, with the query of the analysis', async ({
    assert,
  }) => {
    const { status, headers, body } = await ask('/kong/clinic/fhir/Patient?_count=50&gender=male')
    assert.equal(status, 200)
    assert.deepEqual(JSON.parse(body), PATIENTS)
    assert.equal(headers['content-type'], 'application/fhir+json')
    assert.equal(seen[0]!.url, '/fhir/Patient?_count=50&gender=male')
    assert.equal((await ask('/kong/clinic/fhir/Unknown')).status, 404)
    await ask('/kong/clinic/fhir/Patient/a%20b/$everything')
    assert.equal(seen.at(-1)!.url, '/fhir/Patient/a%20b/$everything')
  })

  test('the server keeps its credentials and cookies from the analysis, and the token of the analysis from it', async ({
    assert,
  }) => {
    const source = await ask(`/hub-adapter/kong/datastore/${PROJECT}`)
    assert.deepEqual(JSON.parse(source.body), {
      data: [{ id: 'clinic', name: 'clinic', paths: ['/clinic/fhir'] }],
    })
    const answer = await ask('/kong/clinic/fhir/Patient')
    assert.notMatch(JSON.stringify([source, answer]), /reader|pass|session/)
    assert.isUndefined(seen[0]!.apikey)
  })

  test('only reads, and only below its address', async ({ assert }) => {
    for (const [method, path] of [
      ['POST', '/kong/clinic/fhir/Patient'],
      ['DELETE', '/kong/clinic/fhir/Patient/1'],
      ['GET', '/kong/clinic/fhir/..%2Fadmin'],
      ['GET', '/kong/clinic/fhir/%2F%2F127.0.0.1:1%2Fx'],
      ['GET', '/kong/clinic/fhir/%252e%252e%252fadmin'],
      ['GET', '/kong/clinic/fhir/%252e%252e/admin'],
      ['GET', '/kong/clinic/fhir/Patient/%252e%252e%255cadmin'],
      ['GET', '/kong/clinic/fhir/..%5Cadmin'],
      ['GET', '/kong/clinic/fhir/Patient%2F..%2F..%2Fadmin'],
      ['GET', '/kong/clinic/fhir/Patient%00'],
      ['GET', '/kong/clinic/fhir/Patient%0D%0AHost:evil'],
      ['GET', '/kong/another/fhir/Patient'],
      ['GET', '/hub-adapter/kong/datastore/another-project'],
    ] as const) {
      assert.equal((await ask(path, method)).status, 404, `${method} ${path}`)
    }
    assert.equal((await ask('/kong/clinic/fhir/Patient', 'GET', 'another')).status, 401)
    assert.deepEqual(seen, [])
  })

  test('the server is reported as unreachable without its credentials when it does not respond', async ({
    assert,
  }) => {
    fhir.close()
    fhir.closeAllConnections()
    const { status, body } = await ask('/kong/clinic/fhir/Patient')
    assert.equal(status, 502)
    assert.include(body, 'The FHIR server cannot be reached')
    assert.notMatch(body + refusals.join(), /reader|pass/)
  })
})
