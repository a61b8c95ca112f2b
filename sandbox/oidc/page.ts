// The page on which a person is chosen. It needs no script.
const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { margin: 0; padding: 32px 16px; display: grid; justify-items: center; }
  main { width: min(380px, 100%); display: grid; gap: 12px; }
  h1 { margin: 0; font-size: 1.5rem; }
  p { margin: 0; }
  form { display: grid; gap: 8px; }
  button { font: inherit; text-align: start; padding: 10px 14px; border-radius: 8px; border: 1px solid #8888; cursor: pointer; }
  button:hover { border-color: currentcolor; }
  span { display: block; opacity: 0.75; font-size: 0.875rem; overflow-wrap: anywhere; }`

export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.codePointAt(0)};`)

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${STYLE}</style></head><body><main><h1>${title}</h1>${content}</main></body></html>`

type Choice = { request: string; people: readonly { id: string; name: string; email: string }[] }

export const choicePage = ({ request, people }: Choice): string => {
  const choices = people.map(
    ({ id, name, email }) =>
      `<button name="person" value="${escapeHtml(id)}">${escapeHtml(name)}<span>${escapeHtml(email)}</span></button>`,
  )
  return page(
    'Sandbox sign-in',
    `<p>This stands in for your identity provider. Choose who signs in.</p>
    <form method="post"><input type="hidden" name="request" value="${request}">${choices.join('')}
    <button>Cancel</button></form>`,
  )
}

export const errorPage = (message: string): string => page('Sandbox sign-in', `<p>${escapeHtml(message)}</p>`)
