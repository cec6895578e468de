import { test } from '@japa/runner'

import { boot } from '#tests/helpers/application'

test.group('Commands of backups', () => {
  for (const [name, option] of [
    ['backup', '--to'],
    ['restore', '--from'],
  ] as const) {
    test(`${name} without ${option} explains the option`, async ({ assert }) => {
      const app = await boot()
      const ace = await app.container.make('ace')
      ace.ui.switchMode('raw')
      await ace.boot()
      const command = await ace.exec(name, ['/srv/monday'])
      const content = ace.ui.logger.getLogs().map(({ message }) => message)
      ace.ui.logger.flushLogs()

      assert.equal(command.exitCode, 1)
      assert.include(content.join('\n'), `${option}=/srv/monday`)
    })
  }
})
