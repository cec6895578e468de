import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'
import pg from 'pg'

import type { SecurityAudit } from '#audit/security_audit'
import ExceptionHandler from '#http/exception_handler'
import { StorageInsufficient } from '#kernel/failures'
import { MailboxFull } from '#messenger/messages/errors'

test.group('A full mailbox', () => {
  test('the refusal is not a fault of the server in its log, as a full disk is', async ({
    assert,
  }) => {
    const logged: unknown[] = []
    const logger = { error: (...args: unknown[]) => void logged.push(args) }
    const handler = new ExceptionHandler({} as SecurityAudit)
    const full = new MailboxFull(new pg.DatabaseError('full', 1, 'error'))
    await handler.report(full, { logger } as unknown as HttpContext)
    assert.equal(full.status, 507)
    assert.isEmpty(logged)
    await handler.report(new StorageInsufficient(), { logger } as unknown as HttpContext)
    assert.lengthOf(logged, 1)
  })
})
