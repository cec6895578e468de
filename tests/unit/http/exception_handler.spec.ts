import { ExceptionHandler as FrameworkHandler, errors } from '@adonisjs/core/http'
import { HttpContextFactory, RequestFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'

import type { SecurityAudit } from '#audit/security_audit'
import ExceptionHandler from '#http/exception_handler'
import { EntityNotFound, PermissionDenied } from '#kernel/failures'

/** The status, and what was logged and audited, of a request that fails. */
async function outcomeOf(error: unknown) {
  const logged: { level: string; fields: any; message: string }[] = []
  const audited: unknown[] = []
  const log =
    (level: string) =>
    (fields: any, message: string): void =>
      void logged.push({ level, fields, message })
  const audit = { addRefusal: (_: unknown, failure: unknown) => void audited.push(failure) }
  const request = new RequestFactory().merge({ method: 'PATCH', url: '/nodes' }).create()
  const ctx = new HttpContextFactory().merge({ request }).create()
  ctx.logger = { error: log('error'), warn: log('warn'), info: log('info') } as never
  const handler = new ExceptionHandler(audit as unknown as SecurityAudit)
  await handler.report(error, ctx)
  let body = ''
  ctx.response.response.end = ((text: string) => (body = text)) as never
  await handler.handle(error, ctx)
  return { status: ctx.response.getStatus(), body: JSON.parse(body), logged, audited }
}

test.group('The exception handler', () => {
  test('the handler is one of the framework', ({ assert }) => {
    assert.instanceOf(new ExceptionHandler({} as SecurityAudit), FrameworkHandler)
  })

  test('logs a fault of the server with its cause, and keeps it to itself', async ({ assert }) => {
    const cause = new Error('select secret from vault')
    const { status, body, logged, audited } = await outcomeOf(cause)
    assert.equal(status, 500)
    assert.equal(body.code, 'internal_error')
    assert.notInclude(JSON.stringify(body), 'vault')
    assert.lengthOf(logged, 1)
    assert.equal(logged[0]!.level, 'error')
    assert.equal(logged[0]!.fields.err, cause)
    assert.equal(logged[0]!.fields.status, 500)
    assert.isEmpty(audited)
  })

  test('the handler does not log what is wrong with a request', async ({ assert }) => {
    const { status, body, logged } = await outcomeOf(new EntityNotFound('node'))
    assert.equal(status, 404)
    assert.deepEqual(body, {
      statusCode: 404,
      code: 'entity_not_found',
      message: 'The node was not found',
      issues: [],
    })
    assert.isEmpty(logged)
  })

  test('the handler names the method that no route takes', async ({ assert }) => {
    const { status, body } = await outcomeOf(new errors.E_ROUTE_NOT_FOUND(['PATCH', '/nodes']))
    assert.equal(status, 404)
    assert.equal(body.message, 'No route matches this PATCH request')
  })

  test('audits a denied permission', async ({ assert }) => {
    const denied = PermissionDenied.missing(['node_create'])
    const { status, logged, audited } = await outcomeOf(denied)
    assert.equal(status, 403)
    assert.deepEqual(audited, [denied])
    assert.isEmpty(logged)
  })
})
