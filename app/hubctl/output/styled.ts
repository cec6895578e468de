import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Text in a style, on a terminal that shows it; NO_COLOR and FORCE_COLOR decide otherwise. */
export function styled(
  style: Style,
  text: string,
  stream: NodeJS.WriteStream = process.stdout
): string {
  return styleText(style, text, { stream, validateStream: true })
}
