import { globSync, readFileSync } from 'node:fs'

import { test } from '@japa/runner'

import { html, phrase } from '#http/page'
import { Texts } from '#http/texts'

type Entries = { readonly [key: string]: string | Entries }

const ROOT = new URL('../../../', import.meta.url)
const SOURCES = ['app/{console,http,identity,openapi}/**/*.ts', 'resources/views/**/*.edge']
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
const english = JSON.parse(read('resources/lang/en.json')) as Entries
const SECTIONS = Object.keys(english).join('|')
/** Keys as they are written, with their `${…}`. Words that only look like keys begin with no section. */
const KEY = new RegExp(
  String.raw`(['\`])(product|(?:${SECTIONS})(?:\.(?:[\w-]|\${[^}]*\})+)+)\1`,
  'g'
)
const PLURAL = ['one', 'other']

const isPlural = (entry: Entries) => Object.keys(entry).every((name) => PLURAL.includes(name))

/** The paths of all texts; the forms of a plural are one. */
function keysOf(entries: Entries, path = ''): string[] {
  return Object.entries(entries).flatMap(([name, entry]) =>
    typeof entry === 'string' || isPlural(entry) ? path + name : keysOf(entry, `${path}${name}.`)
  )
}

/** Each key that the sources name, as an expression: what is put in at run time is any word. */
const named = [
  ...new Set(
    globSync(SOURCES, { cwd: ROOT })
      .flatMap((path) => [...read(path).matchAll(KEY)])
      .map(([, , key]) => key!)
  ),
].map((key) => ({
  key,
  pattern: new RegExp(
    `^${key.replaceAll('.', String.raw`\.`).replace(/\$\{[^}]*\}/g, String.raw`[\w-]+`)}$`
  ),
}))

test.group('Texts of pages', () => {
  const keys = keysOf(english)

  test('each text that a page names is in the file', ({ assert }) => {
    assert.isAbove(named.length, 300)
    const missing = named.filter(({ pattern }) => !keys.some((key) => pattern.test(key)))
    assert.deepEqual(
      missing.map(({ key }) => key),
      []
    )
  })

  test('each text of the file is named by a page', ({ assert }) => {
    const unused = keys.filter((key) => !named.some(({ pattern }) => pattern.test(key)))
    assert.deepEqual(unused, [])
  })

  test('a key without a text is an error, never an empty place', ({ assert }) => {
    const texts = new Texts({ title: 'A title' }, 'en')
    assert.equal(texts.get('title'), 'A title')
    assert.throws(() => texts.get('titel'), 'There is no text titel')
    assert.throws(() => texts.get('constructor'), 'There is no text constructor')
    assert.throws(() => phrase('login.titel'), 'There is no text login.titel')
  })

  test('values are put in once, and are escaped in HTML unless they are HTML', ({ assert }) => {
    const texts = new Texts({ hello: '{name} & {name}, {other}' }, 'en')
    assert.equal(texts.get('hello', { name: '{other}' }), '{other} & {other}, {other}')
    const client = html`<b>${'{x}<i>'}</b>`
    assert.equal(phrase('login.client', { client }).text, 'to continue to <b>{x}&#60;i&#62;</b>')
    assert.equal(phrase('login.client', { client: '<b>' }).text, 'to continue to &#60;b&#62;')
  })

  test('the form of a text suits the number in it', ({ assert }) => {
    const texts = new Texts({ some: { one: 'one thing', other: '{count} things' } }, 'en')
    assert.equal(texts.get('some', { count: 1 }), 'one thing')
    assert.equal(texts.get('some', { count: 2 }), '2 things')
  })
})
