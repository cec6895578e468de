import { test } from '@japa/runner'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { chromium } from 'playwright-core'

import { locateChromium } from '#tests/services/servers/chromium'
import {
  livingIn,
  descendants,
  exposedListeners,
  isAlive,
  procFile,
} from '#tests/services/servers/process_table'
import { RealServer, type Recipe } from '#tests/services/servers/real_server'
import { SUBJECTS, type Subject } from '#tests/services/servers/subjects'
import { eventually } from '#tests/helpers/eventually'
import { RUN_TYPESCRIPT } from '#tests/helpers/typescript'

for (const subject of SUBJECTS) {
  test.group(`Real servers | ${subject.name}`, (group) => {
    let server: RealServer

    group.setup(async () => {
      server = await subject.start()
      console.log(`${subject.name} was ready in ${server.readyInMs} ms`)
    })
    group.teardown(() => server.stop())

    test('the server comes back after SIGKILL with its data, at the same address', async ({
      assert,
    }) => {
      await subject.write(server.url, 'kept')
      const { pid, url } = server

      await server.kill()
      assert.isFalse(isAlive(pid))
      await assert.rejects(() => subject.read(url, 500))

      await server.restart()
      console.log(`${subject.name} was ready ${server.readyInMs} ms after SIGKILL`)
      assert.equal(server.url, url)
      assert.notEqual(server.pid, pid)
      assert.isTrue(isAlive(server.pid))
      assert.equal(await subject.read(url, 5000), 'kept')
    })

    test('the server comes back after an orderly restart with its data', async ({ assert }) => {
      await subject.write(server.url, 'kept in good order')
      const { pid } = server

      await server.restart()
      assert.isFalse(isAlive(pid))
      assert.equal(await subject.read(server.url, 5000), 'kept in good order')
    })

    test('the server answers nothing while it is paused, and again when it is resumed', async ({
      assert,
    }) => {
      await subject.write(server.url, 'frozen')

      await server.pause()
      await assert.rejects(() => subject.read(server.url, 500))

      server.resume()
      assert.equal(await subject.read(server.url, 5000), 'frozen')
    })

    test('the server keeps its password out of process arguments and from other users', async ({
      assert,
    }) => {
      const { password } = new URL(server.url)
      assert.isAbove(password.length, 20)
      for (const pid of descendants(process.pid)) {
        assert.notInclude(procFile(pid, 'cmdline'), password)
        assert.notInclude(procFile(pid, 'environ'), password)
      }
      const { mode } = await stat(server.folder)
      assert.equal(mode & 0o077, 0)
    })

    test('the server listens on loopback only, and not as root', ({ assert }) => {
      const own = descendants(process.pid).filter((pid) => livingIn(server.folder).includes(pid))
      assert.include(own, server.pid)
      for (const pid of own) {
        assert.isEmpty(exposedListeners(pid))
        assert.notMatch(procFile(pid, 'status'), /^Uid:.*\b0\b/m)
      }
    })

    test('the server leaves no process and no folder when it is stopped', async ({ assert }) => {
      const before = new Set(descendants(process.pid))
      const another = await subject.start()
      const own = descendants(process.pid).filter((pid) => !before.has(pid))
      assert.include(own, another.pid)

      const startedAt = performance.now()
      await another.stop()
      console.log(`${subject.name} was gone in ${Math.round(performance.now() - startedAt)} ms`)
      assert.isEmpty(own.filter(isAlive))
      assert.isEmpty(livingIn(another.folder))
      assert.isFalse(existsSync(another.folder))
      await another.stop()
    })

    test('the server is gone with its folder when the tests are killed', async ({ assert }) => {
      const { tests, folder } = await startInProcessOfItsOwn(subject)
      const own = descendants(tests.pid!)
      assert.isAbove(own.length, 1)
      assert.isTrue(existsSync(folder))

      tests.kill('SIGKILL')
      assert.isTrue(await eventually(() => !own.some(isAlive) && !existsSync(folder)))
      assert.isEmpty(livingIn(folder))
    })
  })
}

test.group('Real servers | of any kind', () => {
  test('a server that ignores its stop signal is killed after a while', async ({ assert }) => {
    const deaf = shellRecipe('trap "" TERM; while :; do sleep 1; done', async () => {})
    const server = await RealServer.start(deaf)
    const own = livingIn(server.folder)
    assert.include(own, server.pid)

    await server.stop()
    assert.isEmpty(own.filter(isAlive))
    assert.isFalse(existsSync(server.folder))
  })

  test('a server that ends before it is ready says why, and leaves nothing', async ({ assert }) => {
    const broken = shellRecipe('pwd; echo The disk is on fire; exit 1', () => Promise.reject())
    const message = await RealServer.start(broken).then(String, (error: Error) => error.message)

    assert.include(message, 'shell ended before it was ready')
    assert.include(message, 'The disk is on fire')
    const folder = /^\/.*$/m.exec(message)?.[0] ?? '/'
    assert.isFalse(existsSync(folder))
  })

  test('a server that is not running has no process id to signal by mistake', async ({
    assert,
  }) => {
    const server = await RealServer.start(shellRecipe('sleep 60', async () => {}))
    await server.kill()
    assert.throws(() => server.pid, /not running/)
    await server.stop()
  })
})

function shellRecipe(script: string, ready: () => Promise<unknown>): Recipe {
  return {
    name: 'shell',
    packages: [],
    account: 'nobody',
    stopSignal: 'SIGTERM',
    prepare: async (home) => ({
      url: 'none:',
      async boot() {
        await home.spawn('/bin/sh', ['-c', script])
        await home.until(ready)
      },
    }),
  }
}

test.group('Real servers | Chromium', () => {
  test('the browser opens a page and shows its text', async ({ assert }) => {
    const browser = await chromium.launch(await locateChromium())
    try {
      const page = await browser.newPage()
      await page.setContent('<title>Hub</title><h1>Ready</h1>')
      assert.equal(await page.innerText('h1'), 'Ready')
      console.log(`Chromium ${browser.version()} is there`)
    } finally {
      await browser.close()
    }
  })
})

/** A second test process that holds a server and is there to be killed. */
async function startInProcessOfItsOwn({ module, start }: Subject) {
  const script = `
    const { ${start.name} } = await import('#tests/services/servers/${module}')
    const { folder } = await ${start.name}()
    console.log(folder)
    setInterval(() => {}, 1000)
  `
  const node = [RUN_TYPESCRIPT, '--input-type=module', '--eval', script]
  const tests = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [output] = await once(tests.stdout, 'data')
  return { tests, folder: String(output).trim() }
}
