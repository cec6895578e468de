import { test } from '@japa/runner'

import { Html, html } from '#http/page'

test.group('Pages', () => {
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
})
