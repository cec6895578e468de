import type { RecordOf } from '#worker/platform/records'

/** The folder of the code within the image. */
export const CODE_FOLDER = 'opt/code'

/**
 * The entrypoint of an analysis image, without a shell: the command of the master image, arguments before, the code,
 * and arguments after it.
 */
export function runCommand(
  { command, commandArguments }: RecordOf<'masterImage'>,
  { imageCommandArguments }: RecordOf<'analysis'>,
  entrypoint: string
): string[] {
  const given = imageCommandArguments ?? commandArguments ?? []
  const after = given.filter(({ position }) => position === 'after')
  const before = given.filter((argument) => !after.includes(argument))
  return [
    ...(command ? [command] : []),
    ...before.map(({ value }) => value),
    `/${CODE_FOLDER}/${entrypoint}`,
    ...after.map(({ value }) => value),
  ]
}
