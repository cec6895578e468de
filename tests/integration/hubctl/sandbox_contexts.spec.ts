import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { SandboxContexts } from '#hubctl/sandbox/sandbox_contexts'
import { Contexts, type Context, type Tokens } from '#hubctl/settings/contexts'

const URL = 'http://localhost:4000'
const TOKENS: Tokens = { accessToken: 'token', expiresAt: null }

interface StoredContexts {
  current: string | null
  contexts: Readonly<Record<string, Context>>
}

/** Contexts as they are in a file of somebody, which is not that of whoever runs the test. */
class MemoryContexts extends Contexts {
  stored: StoredContexts = { current: null, contexts: {} }

  override async update(next: (file: StoredContexts) => StoredContexts | Promise<StoredContexts>) {
    this.stored = await next(this.stored)
  }

  get names(): string[] {
    return Object.keys(this.stored.contexts).toSorted()
  }
}

async function up(contexts: Contexts, folder: string): Promise<SandboxContexts> {
  const own = await SandboxContexts.claim(contexts, folder, URL)
  await own.save('admin', URL, TOKENS)
  await own.save('analyst', URL, TOKENS)
  await own.save('north', URL, TOKENS)
  return own
}

test.group('The contexts of a sandbox', (group) => {
  let folders: string[]
  let contexts: MemoryContexts

  group.each.setup(async () => {
    contexts = new MemoryContexts()
    folders = await Promise.all([1, 2, 3].map(() => mkdtemp(join(tmpdir(), 'hub-contexts-'))))
    return async () => {
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
    }
  })

  test('contexts never become the current one, not even the first', async ({ assert }) => {
    await up(contexts, folders[0]!)
    assert.isNull(contexts.stored.current)
    contexts.stored = { ...contexts.stored, current: 'sandbox-north' }
    await up(contexts, folders[0]!)
    assert.equal(contexts.stored.current, 'sandbox-north')
  })

  test('contexts are others for each sandbox, and the same at its next start', async ({
    assert,
  }) => {
    const names = []
    for (const folder of [folders[0]!, folders[1]!, folders[0]!, folders[1]!]) {
      const { name } = await up(contexts, folder)
      names.push(name)
    }
    assert.deepEqual(names, ['sandbox', 'sandbox-2', 'sandbox', 'sandbox-2'])
    assert.equal(contexts.stored.contexts['sandbox-admin']!.sandbox, folders[0])
    assert.equal(contexts.stored.contexts['sandbox-2-admin']!.sandbox, folders[1])
  })

  test('contexts leave a context that somebody made with their name', async ({ assert }) => {
    const made = { url: 'https://hub.example.org', tokens: TOKENS }
    contexts.stored = { current: 'sandbox-admin', contexts: { 'sandbox-admin': made } }
    const { name } = await up(contexts, folders[0]!)
    assert.equal(name, 'sandbox-2')
    assert.deepEqual(contexts.stored.contexts['sandbox-admin'], made)
  })

  test('contexts go with their sandbox, and leave those of others', async ({ assert }) => {
    await up(contexts, folders[0]!)
    await up(contexts, folders[1]!)
    contexts.stored = { ...contexts.stored, current: 'sandbox' }
    await SandboxContexts.remove(contexts, folders[0]!)
    assert.deepEqual(contexts.names, ['sandbox-2', 'sandbox-2-admin', 'sandbox-2-north'])
    assert.isNull(contexts.stored.current)
  })

  test('contexts give their names to the next sandbox when their folder is gone', async ({
    assert,
  }) => {
    await up(contexts, folders[0]!)
    await rm(folders[0]!, { recursive: true })
    const { name } = await up(contexts, folders[2]!)
    assert.equal(name, 'sandbox')
  })
})
