import { test } from '@japa/runner'

import type { LinkedProject, RegistryDriver, WantedProject } from '#core/registries/driver'

export const wanted = (traits: Partial<WantedProject> = {}): WantedProject => ({
  name: 'a-project',
  isPublic: false,
  account: null,
  newSecret: null,
  hook: { address: 'http://hub.example/services/registry/hook', authorization: 'Basic eDp5' },
  ...traits,
})

interface Subject {
  readonly driver: RegistryDriver
  stop(): Promise<void>
}

/** What every driver of registries has to pass: whatever is asked may be asked again. */
export function registryDriverSuite(name: string, open: () => Promise<Subject>): void {
  test.group(`Registry driver | ${name}`, (group) => {
    let driver: RegistryDriver

    group.each.setup(async () => {
      const subject = await open()
      driver = subject.driver
      return () => subject.stop()
    })

    test('a project that was never linked is not there', async ({ assert }) => {
      assert.isFalse(await driver.has('a-project'))
    })

    test('linking again changes nothing', async ({ assert }) => {
      const first: LinkedProject = await driver.link(wanted())
      assert.deepEqual(await driver.link(wanted({ account: first.account })), first)
    })

    test('an account is whole or missing', async ({ assert }) => {
      const { account } = await driver.link(wanted())
      assert.isTrue(account === null || Object.values(account).every((text) => text !== ''))
    })

    test('what was unlinked is gone, and can be unlinked again', async ({ assert }) => {
      const { account } = await driver.link(wanted())
      const project = { name: 'a-project', accountId: account?.id ?? null, isAdopted: false }
      await driver.unlink(project)
      assert.isFalse(await driver.has('a-project'))
      await driver.unlink(project)
    })

    test('what was never linked can be unlinked', async ({ assert }) => {
      await driver.unlink({ name: 'another', accountId: null, isAdopted: false })
      assert.isFalse(await driver.has('another'))
    })

    test('it links anew what was unlinked', async ({ assert }) => {
      const { account } = await driver.link(wanted())
      await driver.unlink({ name: 'a-project', accountId: account?.id ?? null, isAdopted: false })
      const again = await driver.link(wanted({ account }))
      assert.equal(again.account === null, account === null)
    })
  })
}
