import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { Ace } from '#tests/helpers/ace'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

test.group('The audit trail of a hub that is stopped, with the embedded database', () => {
  test('the trail is verified, as after a restoration', async ({ assert, cleanup }) => {
    const hub = await HubProcesses.start('server')
    cleanup(() => hub.remove())
    hub.signal('SIGTERM')
    await hub.exit
    const data = join(hub.folder, '.data')
    const { code, output } = await Ace.run(['audit:verify'], {
      DATA_DIR: data,
      DATABASE_URL: undefined,
    })
    assert.equal(code, 0, output)
    assert.include(output, 'intact: ')
  }).timeout(600_000)

  test('the trail is not made anew where there is none', async ({ assert, cleanup }) => {
    const data = join(await temporaryFolder(cleanup), '.data')
    const { code, output } = await Ace.run(['audit:verify'], {
      DATA_DIR: data,
      DATABASE_URL: undefined,
    })
    assert.notEqual(code, 0)
    assert.include(output, 'set DATABASE_URL')
    assert.isFalse(existsSync(join(data, 'postgres')))
  }).timeout(600_000)
})
