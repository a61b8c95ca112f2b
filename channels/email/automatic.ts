// Which mail a program wrote, and what the receiving server says of its sender. RFC 3834 is the rule; the rest are the
// headers that programs use in its place.
import { type Head, headerOf, headersOf } from './head.ts'
import type { Automatic } from './mail.ts'

const REPLY_SUBJECT =
  /^\s*(?:auto(?:matic|matische|mated)?[ -]?(?:reply|response|antwort|re:)|automatisk svar|autosvar|automaattinen vastaus|automatické odpov|automatikus v[áa]lasz|automatyczna odpowied|out of (?:the )?office|ooo\b|vacation (?:reply|response)|abwesenheits?(?:notiz|nachricht|meldung|agent)?|abwesend|automatische? antwoord|afwezigheid|r[ée]ponse automatique|absence du bureau|respuesta autom[áa]tica|fuera de la oficina|risposta automatica|fuori sede|resposta autom[áa]tica|ausente do escrit[óo]rio|frånvaro|fraværende|автоответ|автоматический ответ|自动回复|自動回覆|自動返信|不在|자동 회신|otomatik yan[ıi]t)/i

const isNullPath = (head: Head): boolean => {
  const paths = headersOf(head, 'return-path')
  return paths.length > 0 && /^<\s*>$/.test(paths[0]!.trim())
}

const ROBOT =
  /^(?:mailer-daemon|postmaster|mail-daemon|double-bounce|bounce[s]?|no-?reply-bounce)(?:[+-][^@]*)?@/

export const automaticOf = (head: Head, from: string | null): Automatic | null => {
  const submitted = headerOf(head, 'auto-submitted').toLowerCase()
  const precedence = (headerOf(head, 'precedence') || headerOf(head, 'x-precedence')).toLowerCase()
  const has = (pattern: RegExp) =>
    head.headers.some(
      ({ name, value }) => pattern.test(name) && value !== '' && !/^(?:no|none|false)$/i.test(value),
    )
  const isVendorReply =
    has(/^x-auto-?repl(?:y|ied)|^x-autorespon|^x-mail-autoreply|^x-ms-exchange-inbox-rules-loop$/) ||
    /auto[_-]?reply/.test(precedence)
  const isSubmitted = submitted !== '' && !/^no\b/.test(submitted)
  const isReport = /^multipart\/report/i.test(headerOf(head, 'content-type'))
  const isRobot = isSubmitted || isVendorReply || isNullPath(head) || isReport || ROBOT.test(from ?? '')
  if (isRobot) {
    const answers =
      headerOf(head, 'in-reply-to') !== '' || REPLY_SUBJECT.test(headerOf(head, 'subject').slice(0, 200))
    return isVendorReply || /^auto-replied/.test(submitted) || answers ? 'reply' : 'notice'
  }
  if (has(/^list-(?:id|post|unsubscribe|help|owner)$/) || /^(?:bulk|junk|list)/.test(precedence))
    return 'list'
  return null
}

/**
 * What the server that received the mail found (RFC 8601). It puts its own header on top, so only the first counts. A
 * sender can forge this header where no server writes one, but only in their own favour does that change nothing.
 */
export const authenticationOf = (head: Head): 'pass' | 'fail' | null => {
  const [first] = headersOf(head, 'authentication-results')
  if (!first) return null
  const results = first.toLowerCase()
  const dmarc = /\bdmarc\s?=\s?([a-z]{1,12})/.exec(results)?.[1]
  if (dmarc === 'pass') return 'pass'
  if (dmarc === 'fail') return 'fail'
  const spf = /\bspf\s?=\s?([a-z]{1,12})/.exec(results)?.[1]
  const dkim = /\bdkim\s?=\s?pass\b/.test(results)
  if (dkim || spf === 'pass') return 'pass'
  return spf === 'fail' ? 'fail' : null
}
