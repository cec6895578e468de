import { test } from '@japa/runner'

import { HarborServer } from '#tests/helpers/core/harbor_server'
import { Caller } from '#tests/services/life/caller'
import { castOf } from '#tests/services/life/cast'
import { LifeInstallation, SHAPES } from '#tests/services/life/installation'
import { People } from '#tests/services/life/people'
import { agree } from '#tests/services/life/stages/agreement'
import { configure } from '#tests/services/life/stages/configuration'
import { end } from '#tests/services/life/stages/end'
import { bringResults, execute } from '#tests/services/life/stages/execution'
import { build, distribute } from '#tests/services/life/stages/processes'
import { beginProject } from '#tests/services/life/stages/project'
import { Study } from '#tests/services/life/study'
import { PlainWorker } from '#tests/services/life/worker'

for (const shape of SHAPES) {
  test.group(`The life of an analysis in ${shape}`, (group) => {
    let study: Study
    let worker: PlainWorker

    group.setup(async () => {
      const hub = await LifeInstallation.start(shape)
      const harbor = await HarborServer.start()
      const people = await People.of(hub)
      study = new Study(await castOf(people, harbor.host))
      const itself = { grant_type: 'client_credentials', ...hub.worker }
      worker = await PlainWorker.start(hub.broker.url, await Caller.login(hub, itself))
      return async () => {
        await worker.stop()
        await harbor.stop()
        await hub.stop()
      }
    })

    test('the life leads from its creation to its results, and each wrong turn is refused', async ({
      assert,
    }) => {
      await beginProject(study)
      await configure(study, worker, assert)
      await agree(study, assert)
      await build(study, worker, assert)
      await distribute(study, assert)
      await execute(study)
      await bringResults(study, assert)
      await end(study, assert)
      assert.isAtLeast(study.turns.taken, 90)
    }).timeout(600_000)
  })
}
