import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { Views } from '#console/views'
import { at } from '#tests/helpers/application'
import { ConsoleVisitor } from '#tests/helpers/console/console_visitor'

/** What a browser asks for when a person follows a link or sends a form. */
const AS_BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const ACTION = '/nodes/00000000-0000-4000-8000-000000000000/secret'

test.group('Failures of the console', () => {
  test('a path without a page is one that says so, with the areas for who is signed in', async ({
    assert,
  }) => {
    for (const path of ['/no-such-page', '/nodes/x/y/z', '/assets/none.css']) {
      const page = await ConsoleVisitor.as().open(path, AS_BROWSER)
      assert.equal(page.status, 404, path)
      assert.include(page.title, 'There is no such page', path)
      assert.include(page.headers.get('content-type'), 'text/html', path)
      assert.include(page.headers.get('content-security-policy'), "default-src 'self'", path)
      assert.include(page.headers.get('cache-control'), 'no-store', path)
      assert.include(page.text, 'aria-label="Areas"', path)
    }
  })

  test('without a session, it shows no area', async ({ assert }) => {
    const page = await new ConsoleVisitor().open('/no-such-page', AS_BROWSER)
    assert.equal(page.status, 404)
    assert.include(page.title, 'There is no such page')
    assert.notInclude(page.text, 'aria-label="Areas"')
  })

  test('programs get JSON', async ({ assert }) => {
    for (const accept of ['application/json', '*/*', 'text/event-stream']) {
      const answer = await new ConsoleVisitor().open('/no-such-page', { accept })
      assert.equal(answer.status, 404, accept)
      assert.equal(JSON.parse(answer.text).code, 'entity_not_found', accept)
    }
  })

  test('paths of services answer with JSON, also to browsers', async ({ assert }) => {
    const answer = await fetch(at('core', '/no-such-path'), { headers: AS_BROWSER })
    assert.equal(answer.status, 404)
    assert.include(answer.headers.get('content-type'), 'application/json')
  })

  test('a form that is too large is refused with a page', async ({ assert }) => {
    const fields = { confirm: 'x'.repeat(2 ** 20) }
    const page = await ConsoleVisitor.as().forge(ACTION, fields, AS_BROWSER)
    assert.equal(page.status, 413)
    assert.include(page.title, 'This was refused')
    assert.include(page.text, 'payload_too_large')
  })

  test('a form that cannot be read is refused with a page', async ({ assert }) => {
    const visitor = ConsoleVisitor.as()
    const fields = Object.fromEntries(
      Array.from({ length: 1_001 }, (_, index) => [`f${index}`, ''])
    )
    const page = await visitor.forge(ACTION, fields, AS_BROWSER)
    assert.equal(page.status, 400)
    assert.include(page.title, 'This was refused')

    const response = await fetch(at('console', ACTION), {
      method: 'POST',
      body: '{"_token": ',
      headers: { ...visitor.headers, ...AS_BROWSER, 'content-type': 'application/json' },
    })
    assert.equal(response.status, 400)
    assert.include(await response.text(), 'The body is not well-formed JSON')
  })

  test('a body other than a form is refused like a forged form', async ({ assert }) => {
    const response = await fetch(at('console', ACTION), {
      method: 'POST',
      body: '_token=a.b',
      headers: { ...ConsoleVisitor.as().headers, ...AS_BROWSER, 'content-type': 'text/plain' },
    })
    assert.equal(response.status, 403)
    assert.include(await response.text(), 'The form was refused')
  })

  test('a fault shows the number of the request, and not its cause', async ({
    assert,
    cleanup,
  }) => {
    const broken = {
      get assets(): never {
        throw new Error('the cause')
      },
    }
    app.container.swap(Views, () => broken as unknown as Views)
    cleanup(() => app.container.restore(Views))
    const page = await new ConsoleVisitor().open('/assets/console.css', AS_BROWSER)
    assert.equal(page.status, 500)
    assert.include(page.title, 'This page failed')
    assert.include(page.text, `Request ${page.headers.get('x-request-id')}`)
    assert.notInclude(page.text, 'the cause')
  })
})
