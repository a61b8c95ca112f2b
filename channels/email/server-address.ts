// Mail server URLs: smtps://user:password@mail.example.com:465, imaps://…/Folder. Query strings are ignored, because
// the library would take any of its options from there, including a program to run.
import { isLoopback } from '../protocol/download.ts'

type ServerAddress = {
  host: string
  port: number
  /** TLS from the start. */
  secure: boolean
  user: string
  pass: string
  path: string
  /**
   * The password must be encrypted: without TLS from the start, the server has to offer STARTTLS. Not required on
   * loopback.
   */
  needsTls: boolean
}

/** The error if `needsTls` and the server has no TLS. */
export const NO_TLS =
  'The mail server doesn’t support encryption (STARTTLS), so the password was not sent. Use smtps:// or imaps://, or a server that supports it.'

const PORTS: Record<string, number> = { 'smtp:': 587, 'smtps:': 465, 'imap:': 143, 'imaps:': 993 }
const SECURE = new Set(['smtps:', 'imaps:'])

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Throws a TypeError if the text isn't a URL. */
export const parseServerAddress = (text: string): ServerAddress => {
  const url = new URL(text)
  const secure = SECURE.has(url.protocol)
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (PORTS[url.protocol] ?? 0),
    secure,
    user: decoded(url.username),
    pass: decoded(url.password),
    path: decoded(url.pathname.slice(1)),
    needsTls: !secure && !isLoopback(url),
  }
}
