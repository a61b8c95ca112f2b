// Detects email written by programs: by RFC 3834, and by headers that programs use instead.
import { type Head, headerOf, headersOf } from './head.ts'
import type { Automatic } from './mail.ts'

const REPLY_SUBJECT =
  /^\s*(?:auto(?:matic|matische|mated)?[ -]?(?:reply|response|antwort|re:)|automatisk svar|autosvar|automaattinen vastaus|automatické odpov|automatikus v[áa]lasz|automatyczna odpowied|out of (?:the )?office|ooo\b|vacation (?:reply|response)|abwesenheits?(?:notiz|nachricht|meldung|agent)?|abwesend|automatische? antwoord|afwezigheid|r[ée]ponse automatique|absence du bureau|respuesta autom[áa]tica|fuera de la oficina|risposta automatica|fuori sede|resposta autom[áa]tica|ausente do escrit[óo]rio|frånvaro|fraværende|автоответ|автоматический ответ|自动回复|自動回覆|自動返信|不在|자동 회신|otomatik yan[ıi]t)/i

const hasHeader = (head: Head, pattern: RegExp): boolean =>
  head.headers.some(
    ({ name, value }) => pattern.test(name) && value !== '' && !/^(?:no|none|false)$/i.test(value),
  )

const precedenceOf = (head: Head): string =>
  (headerOf(head, 'precedence') || headerOf(head, 'x-precedence')).toLowerCase()

const isVendorReply = (head: Head): boolean =>
  hasHeader(
    head,
    /^x-auto-?repl(?:y|ied)|^x-autorespon|^x-mail-autoreply|^x-ms-exchange-inbox-rules-loop$/,
  ) ||
  /auto[_-]?reply/.test(precedenceOf(head)) ||
  /^vacation$/i.test(headerOf(head, 'x-apple-action'))

/** Out-of-office and similar replies, as opposed to delivery reports. */
export const isAutomaticAnswer = (head: Head, subject: string): boolean =>
  isVendorReply(head) || REPLY_SUBJECT.test(subject.slice(0, 200))

const isNullPath = (head: Head): boolean => {
  const paths = headersOf(head, 'return-path')
  return paths.length > 0 && /^<\s*>$/.test(paths[0]!.trim())
}

const ROBOT =
  /^(?:mailer-daemon|postmaster|mail-daemon|double-bounce|bounce[s]?|no-?reply-bounce)(?:[+-][^@]*)?@/

export const automaticOf = (head: Head, from: string | null, subject: string): Automatic | null => {
  const submitted = headerOf(head, 'auto-submitted').toLowerCase()
  const isSubmitted = submitted !== '' && !/^no\b/.test(submitted)
  const isReport = /^multipart\/report/i.test(headerOf(head, 'content-type'))
  const isRobot = isSubmitted || isVendorReply(head) || isNullPath(head) || isReport || ROBOT.test(from ?? '')
  if (isRobot) {
    const answers = headerOf(head, 'in-reply-to') !== '' || isAutomaticAnswer(head, subject)
    return /^auto-replied/.test(submitted) || answers ? 'reply' : 'notice'
  }
  if (
    hasHeader(head, /^list-(?:id|post|unsubscribe|help|owner)$/) ||
    /^(?:bulk|junk|list)/.test(precedenceOf(head))
  )
    return 'list'
  return null
}
