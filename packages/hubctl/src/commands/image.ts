import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord, type NamedRecord } from '#hubctl/kinds/find_record'
import { MASTER_IMAGES } from '#hubctl/kinds/record_collections'
import { withDryRun } from '#hubctl/options'
import { noteWarnings, type WithWarnings } from '#hubctl/output/warnings'
import { exportCommand, importCommand } from './image_archives.js'
import { keyCommand } from './image_keys.js'
import { verifyCommand } from './image_verify.js'

const PATH = `${MASTER_IMAGES.path}/command`

export function imageCommand(): Command {
  return new Command('image')
    .description('manage the images that analyses are built on')
    .addCommand(
      withDryRun(
        new Command('sync').description('synchronize all images with their repository')
      ).action(perform(synchronize))
    )
    .addCommand(
      withDryRun(
        new Command('build')
          .description('start the build of an image')
          .argument('<image>', 'its id or name')
      ).action(perform(build))
    )
    .addCommand(importCommand())
    .addCommand(exportCommand())
    .addCommand(verifyCommand())
    .addCommand(keyCommand())
}

async function synchronize(invocation: Invocation): Promise<void> {
  const api = await invocation.api()
  const body = { command: 'sync' }
  const answer = await api.change<WithWarnings>('POST', MASTER_IMAGES.service, PATH, body)
  if (answer) {
    invocation.output.done('The images are being synchronized')
    noteWarnings(invocation.output, answer)
  }
}

async function build(invocation: Invocation, idOrName: string): Promise<void> {
  const api = await invocation.api()
  const { id, name } = await findRecord(api, MASTER_IMAGES, idOrName)
  const body = { command: 'build', id }
  const answer = await api.change<WithWarnings & { data: NamedRecord }>(
    'POST',
    MASTER_IMAGES.service,
    PATH,
    body
  )
  if (answer) {
    invocation.output.done(
      `The image ${name ?? id} is being built`,
      answer.data,
      MASTER_IMAGES.name
    )
    noteWarnings(invocation.output, answer)
  }
}
