import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'

import { Html, html, sendPage } from '#http/page'

test.group('HTML of pages', () => {
  test('what is put into a page is escaped unless it is HTML itself', ({ assert }) => {
    const hostile = `<script>"x" & 'y'</script>`
    const { text } = html`<p title="${hostile}">${hostile}${new Html('<b>ok</b>')}</p>`
    assert.notInclude(text, '<script>')
    assert.notMatch(text, /title="[^"]*"x/)
    assert.include(text, '<b>ok</b>')
  })

  test('lists are joined, and what is missing leaves nothing', ({ assert }) => {
    const { text } = html`<i>${['a', undefined, null, false, 'b']}</i>`
    assert.equal(text, '<i>ab</i>')
  })

  test('pages have forms that lead nowhere but to us, unless the page names where else', ({
    assert,
  }) => {
    const policyWith = (...options: [{ formTargets: string[] }?]) => {
      const ctx = new HttpContextFactory().create()
      sendPage(ctx, 'A page', html`<p></p>`, ...options)
      return String(ctx.response.getHeader('content-security-policy')).split('; ')
    }
    assert.include(policyWith(), "form-action 'self'")
    const policy = policyWith({ formTargets: ['https://app.test'] })
    assert.include(policy, "form-action 'self' https://app.test")
    assert.include(policy, "default-src 'none'")
    assert.include(policy, "frame-ancestors 'none'")
  })

  test('pages carry the look of the console in the one style that their policy allows', ({
    assert,
  }) => {
    const ctx = new HttpContextFactory().create()
    sendPage(ctx, 'A page', html`<p></p>`)
    const page = ctx.response.getBody() as string
    const style = /<style>([^<]*)<\/style>/.exec(page)![1]!
    const look = readFileSync(new URL('../../resources/look/look.css', import.meta.url), 'utf8')
    assert.isTrue(style.startsWith(look))
    const digest = createHash('sha256').update(style).digest('base64')
    const policy = String(ctx.response.getHeader('content-security-policy'))
    assert.include(policy, `style-src 'sha256-${digest}';`)
    assert.notMatch(page, / style=| on\w+=/)
  })
})
