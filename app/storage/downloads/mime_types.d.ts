declare module 'mime-types' {
  export function contentType(extension: string): string | false
}
