// What an email may contain, as ProseMirror's schema: whatever else is pasted loses its layout and keeps its text.
import { DOMParser, DOMSerializer, type Mark, type Node, Schema } from 'prosemirror-model'

const IMAGE_ATTRS = { id: {}, src: { default: '' }, alt: { default: '' } }

export const schema = new Schema({
  nodes: {
    doc: { content: 'block+' },
    // Without a margin of its own, so that a line looks like a line in every mail program.
    paragraph: {
      content: 'inline*',
      group: 'block',
      parseDOM: [{ tag: 'p' }, { tag: 'div' }, { tag: 'h1' }, { tag: 'h2' }, { tag: 'h3' }, { tag: 'h4' }],
      toDOM: () => ['div', 0],
    },
    blockquote: {
      content: 'block+',
      group: 'block',
      parseDOM: [{ tag: 'blockquote' }],
      toDOM: () => ['blockquote', 0],
    },
    ordered_list: {
      content: 'list_item+',
      group: 'block',
      parseDOM: [{ tag: 'ol' }],
      toDOM: () => ['ol', 0],
    },
    bullet_list: {
      content: 'list_item+',
      group: 'block',
      parseDOM: [{ tag: 'ul' }],
      toDOM: () => ['ul', 0],
    },
    list_item: {
      content: 'paragraph block*',
      defining: true,
      parseDOM: [{ tag: 'li' }],
      toDOM: () => ['li', 0],
    },
    text: { group: 'inline' },
    // Only those that were uploaded: others would be loaded from the web.
    image: {
      inline: true,
      group: 'inline',
      draggable: true,
      attrs: IMAGE_ATTRS,
      parseDOM: [
        {
          tag: 'img[data-attachment]',
          getAttrs: (element) => ({
            id: element.dataset.attachment,
            src: element.getAttribute('src'),
            alt: element.getAttribute('alt') ?? '',
          }),
        },
      ],
      toDOM: ({ attrs: { id, src, alt } }) => ['img', { src, alt, 'data-attachment': id }],
    },
    hard_break: {
      inline: true,
      group: 'inline',
      selectable: false,
      parseDOM: [{ tag: 'br' }],
      toDOM: () => ['br'],
    },
  },
  marks: {
    link: {
      attrs: { href: {} },
      inclusive: false,
      parseDOM: [
        {
          tag: 'a[href]',
          getAttrs: (element) => {
            const href = element.getAttribute('href') ?? ''
            return /^(https?:|mailto:|tel:)/i.test(href) ? { href } : false
          },
        },
      ],
      toDOM: ({ attrs: { href } }: Mark) => ['a', { href }, 0],
    },
    strong: {
      parseDOM: [
        { tag: 'strong' },
        // Google Docs wraps whatever is copied in <b style="font-weight:normal">.
        { tag: 'b', getAttrs: (element) => element.style.fontWeight !== 'normal' && null },
        { style: 'font-weight', getAttrs: (value) => /^(bold(er)?|[6-9]00)$/.test(value) && null },
      ],
      toDOM: () => ['b', 0],
    },
    em: {
      parseDOM: [{ tag: 'i' }, { tag: 'em' }, { style: 'font-style=italic' }],
      toDOM: () => ['i', 0],
    },
  },
})

export type Content = { text: string; html: string | null }

/** Each line is a paragraph of its own. */
export const fromText = (text: string): Node =>
  schema.node(
    'doc',
    null,
    text.split(/\r?\n/).map((line) => schema.node('paragraph', null, line === '' ? [] : [schema.text(line)])),
  )

export const fromHtml = (html: string): Node => {
  // Inert: nothing in it is loaded or run.
  const { body } = new window.DOMParser().parseFromString(html, 'text/html')
  return DOMParser.fromSchema(schema).parse(body)
}

export const fromContent = ({ text, html }: Content): Node =>
  html === null ? fromText(text) : fromHtml(html)

const isFormatted = (doc: Node): boolean => {
  let isIt = false
  doc.descendants(({ type, marks }) => {
    isIt ||=
      marks.length > 0 || !(type.name === 'paragraph' || type.name === 'text' || type.name === 'hard_break')
    return !isIt
  })
  return isIt
}

const textOf = (doc: Node): string =>
  doc.textBetween(0, doc.content.size, '\n', ({ type, attrs }) =>
    type.name === 'hard_break' ? '\n' : type.name === 'image' ? `[${attrs.alt || 'image'}]` : '',
  )

const htmlOf = (doc: Node): string => {
  const place = document.implementation.createHTMLDocument().createElement('div')
  place.append(
    DOMSerializer.fromSchema(schema).serializeFragment(doc.content, { document: place.ownerDocument }),
  )
  // An empty line has no height without a break, and the first paragraph of an item is its text.
  for (const line of place.querySelectorAll('div'))
    if (line.childNodes.length === 0) line.append(place.ownerDocument.createElement('br'))
  for (const line of place.querySelectorAll('li > div:first-child')) line.replaceWith(...line.childNodes)
  return place.innerHTML
}

/** Without formatting, there is no HTML: plain text stays plain. */
export const toContent = (doc: Node): Content => ({
  text: textOf(doc),
  html: isFormatted(doc) ? htmlOf(doc) : null,
})

const IMAGE = /<img\b[^>]*>/g
const attributeOf = (tag: string, name: string): string =>
  new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? ''

/** Images by the ids of their files, as the server takes them. */
export const toRequestHtml = (html: string): string =>
  html.replace(
    IMAGE,
    (tag) => `<img src="cid:${attributeOf(tag, 'data-attachment')}" alt="${attributeOf(tag, 'alt')}">`,
  )

export type InlineImage = { id: string; name: string; url: string }

/** The images in it, which are sent along. */
export const imagesIn = (html: string): InlineImage[] =>
  (html.match(IMAGE) ?? []).map((tag) => ({
    id: attributeOf(tag, 'data-attachment'),
    name: attributeOf(tag, 'alt'),
    url: attributeOf(tag, 'src').replaceAll('&amp;', '&'),
  }))

/** What toRequestHtml made, to be written on. */
export const fromRequestHtml = (html: string, urls: ReadonlyMap<string, string>): string =>
  html.replace(IMAGE, (tag) => {
    const id = attributeOf(tag, 'src').replace(/^cid:/, '')
    const url = (urls.get(id) ?? '').replaceAll('&', '&amp;')
    return `<img src="${url}" alt="${attributeOf(tag, 'alt')}" data-attachment="${id}">`
  })

/** Plain text beside formatted text. */
export const linesOf = (text: string): string =>
  text
    .split('\n')
    .map((line) => `<div>${line.replace(/[&<>]/g, (one) => `&#${one.charCodeAt(0)};`) || '<br>'}</div>`)
    .join('')
