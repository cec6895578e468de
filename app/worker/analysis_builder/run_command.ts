import type { RecordOf } from '#worker/platform/records'

/** Where the code of an analysis is in its image. */
export const CODE_FOLDER = 'opt/code'

/**
 * What the image of an analysis runs, each part as it is and none read by a shell: the command of the master image with what comes
 * before the code, the code, and what comes after.
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
