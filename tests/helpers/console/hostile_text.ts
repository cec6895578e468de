/** What somebody may call anything, which must reach the reader as it is. */
export const HOSTILE = `<script>alert('1')</script>"><img src=x onerror=alert(2)>{{ 7 * 7 }}`
