import { test } from '@japa/runner'

import { address, SERVICES, useInstallation, type Service } from './installation.js'

const METHODS = ['GET', 'POST', 'DELETE'] as const
const ATTEMPTS = SERVICES.flatMap((service) => METHODS.map((method) => ({ service, method })))

async function refused(service: Service, method = 'GET') {
  const response = await fetch(address(service, '/no-such-collection'), { method })
  const type = response.headers.get('content-type')
  return { status: response.status, type, body: (await response.json()) as Record<string, unknown> }
}

test.group('Interface: errors', (group) => {
  useInstallation(group)

  test('Endpoints / Common rules 5: {service} refuses {method} without an envelope')
    .with(ATTEMPTS)
    .run(async ({ assert }, { service, method }) => {
      const { status, body } = await refused(service, method)
      assert.isAtLeast(status, 400)
      assert.notProperty(body, 'data')
      assert.notProperty(body, 'meta')
    })

  test('Errors / Envelope 1: {$self} answers a failure with one flat object')
    .with([...SERVICES])
    .run(async ({ assert }, service) => {
      const { type, body } = await refused(service)
      assert.equal(type, 'application/json; charset=utf-8')
      assert.sameMembers(Object.keys(body), ['statusCode', 'code', 'message', 'issues'])
    })

  test('Errors / Envelope row 1: statusCode of {$self} repeats the status')
    .with([...SERVICES])
    .run(async ({ assert }, service) => {
      const { status, body } = await refused(service)
      assert.equal(status, 404)
      assert.strictEqual(body.statusCode, 404)
    })

  test('Errors / Envelope row 2: {service} has one code for {method} of what is not there')
    .with(ATTEMPTS)
    .run(async ({ assert }, { service, method }) => {
      const { body } = await refused(service, method)
      assert.equal(body.code, 'entity_not_found')
    })

  test('Errors / Envelope row 4: issues of {$self} is a list, which may be empty')
    .with([...SERVICES])
    .run(async ({ assert }, service) => {
      const { body } = await refused(service)
      assert.deepEqual(body.issues, [])
    })
})
