import { test } from '@japa/runner'

import { tokenOf } from '#auth/authentication_middleware'

const SOURCES = { cookie: 'flame_access_token', origins: ['https://ui.example'] }

type Headers = Record<string, string>

const cookie = (value: string, headers: Headers = {}) => ({
  cookie: `theme=dark; flame_access_token=${value}; last=1`,
  ...headers,
})

const fromGet = (headers: Headers) => tokenOf(headers, 'GET', SOURCES)

test.group('The token of a request | header', () => {
  test('the token is what follows the scheme, in whatever case that is')
    .with(['Bearer abc', 'bearer abc', 'BEARER abc', 'BeArEr abc'])
    .run(({ assert }, authorization) => {
      assert.equal(fromGet({ authorization }), 'abc')
    })

  test('the token is missing in "{$self}"')
    .with([
      '',
      'Bearer',
      'Bearer ',
      'Bearer  abc',
      'Bearer abc def',
      'Basic abc',
      'abc',
      ' Bearer abc',
    ])
    .run(({ assert }, authorization) => {
      assert.isUndefined(fromGet({ authorization }))
    })

  test('the token counts for every method, and before any cookie', ({ assert }) => {
    const headers = cookie('from-cookie', { authorization: 'Bearer from-header' })
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
      assert.equal(tokenOf(headers, method, SOURCES), 'from-header')
    }
  })

  test('disables the cookie even with another scheme or no value', ({ assert }) => {
    assert.isUndefined(fromGet(cookie('abc', { authorization: '' })))
    assert.isUndefined(fromGet(cookie('abc', { authorization: 'Basic abc' })))
  })
})

test.group('The token of a request | cookie', () => {
  test('the cookie is used without a header, for read requests only', ({ assert }) => {
    assert.equal(tokenOf(cookie('abc'), 'GET', SOURCES), 'abc')
    assert.equal(tokenOf(cookie('abc'), 'HEAD', SOURCES), 'abc')
    for (const method of ['POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'get', '']) {
      assert.isUndefined(tokenOf(cookie('abc'), method, SOURCES), method)
    }
  })

  test('the cookie has exactly the configured name', ({ assert }) => {
    for (const name of [
      'access_token',
      'flame_access_token2',
      'xflame_access_token',
      'Flame_access_token',
    ]) {
      assert.isUndefined(fromGet({ cookie: `${name}=abc` }), name)
    }
    assert.equal(
      tokenOf({ cookie: 'access_token=abc' }, 'GET', { cookie: 'access_token', origins: [] }),
      'abc'
    )
  })

  test('the cookie may be quoted, encoded, or begin with the scheme', ({ assert }) => {
    for (const value of [
      'a.b-c_d',
      '"a.b-c_d"',
      'Bearer%20a.b-c_d',
      '"Bearer a.b-c_d"',
      'bearer a.b-c_d',
    ]) {
      assert.equal(fromGet(cookie(value)), 'a.b-c_d', value)
    }
    assert.equal(fromGet(cookie('a=b==')), 'a=b==')
  })

  test('that holds no token holds none', ({ assert }) => {
    for (const value of ['', '""', 'a b', '%20', 'Bearer a b']) {
      assert.isUndefined(fromGet(cookie(value)), value)
    }
    assert.isUndefined(fromGet({ cookie: 'flame_access_token' }))
  })

  test('the cookie is accepted from the own site and from browsers without Fetch metadata', ({
    assert,
  }) => {
    for (const site of ['same-origin', 'same-site', 'none']) {
      assert.equal(fromGet(cookie('abc', { 'sec-fetch-site': site })), 'abc', site)
    }
    assert.equal(fromGet(cookie('abc')), 'abc')
    for (const site of ['cross-site', '', 'Same-Origin', 'same-origin, cross-site']) {
      assert.isUndefined(fromGet(cookie('abc', { 'sec-fetch-site': site })), site)
    }
  })

  test('the cookie is accepted from configured origins', ({ assert }) => {
    const from = (origin: string) =>
      fromGet(cookie('abc', { 'sec-fetch-site': 'cross-site', origin }))
    assert.equal(from('https://ui.example'), 'abc')
    for (const origin of ['https://evil.example', 'https://ui.example.evil', 'null', '']) {
      assert.isUndefined(from(origin), origin)
    }
  })
})
