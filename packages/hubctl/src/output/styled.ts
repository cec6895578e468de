import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Styles text if the terminal supports it; NO_COLOR and FORCE_COLOR are respected. */
export function styled(
  style: Style,
  text: string,
  stream: NodeJS.WriteStream = process.stdout
): string {
  return styleText(style, text, { stream, validateStream: true })
}
