import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { startDockerRegistry } from '#tests/services/servers/docker_registry'

/** The flags that workers are started with. */
const { SERVER_FLAGS }: { SERVER_FLAGS: string[] } = await import(
  new URL('../../../bin/bootstrap/engine.mjs', import.meta.url).href
)
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const LOADER = new URL('../../../bin/bootstrap/typescript.mjs', import.meta.url).href
/** Limit for the worker and its upload process. */
const MOST_MIB = 120
const MOST_MIB_BESIDE = 64
const COPIED_MIB = process.env.SOAK_MIB ?? '512'

test.group('Large images', () => {
  test('memory stays constant while they are copied between folders and registries', async ({
    assert,
    cleanup,
  }) => {
    const registries = [await startDockerRegistry(), await startDockerRegistry()]
    cleanup(async () => {
      await Promise.all(registries.map(({ server }) => server.stop()))
    })
    const child = spawn(
      process.execPath,
      [...SERVER_FLAGS, '--expose-gc', `--import=${LOADER}`, 'tests/soak/image_copies.ts'],
      {
        cwd: ROOT,
        env: { ...process.env, SOAK_MIB: COPIED_MIB },
        stdio: ['pipe', 'pipe', 'inherit'],
      }
    )
    child.stdin.end(JSON.stringify(registries.map(({ access }) => access)))
    const content = await text(child.stdout)
    const copies = content
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.lengthOf(copies, 3)
    for (const copy of copies) {
      console.log(JSON.stringify(copy))
      assert.isBelow(copy.aboveIdleMib + copy.uploaderMib, MOST_MIB)
      assert.isBelow(copy.uploaderMib, MOST_MIB_BESIDE)
    }
  })
    .retry(2)
    .timeout(1_800_000)
})
