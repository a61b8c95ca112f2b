// The text field of emails: ProseMirror with bold, italic, lists, quotes, links and pasted images.
import { baseKeymap, chainCommands, exitCode, lift, toggleMark, wrapIn } from 'prosemirror-commands'
import { closeHistory, history, redo, undo } from 'prosemirror-history'
import { keymap } from 'prosemirror-keymap'
import { type Node, type NodeType, Slice } from 'prosemirror-model'
import { liftListItem, sinkListItem, splitListItem, wrapInList } from 'prosemirror-schema-list'
import { type Command, EditorState, Plugin, Selection, TextSelection } from 'prosemirror-state'
import { EditorView } from 'prosemirror-view'
import { type Content, fromContent, fromText, schema, toContent } from './document.ts'

const { strong, em, link } = schema.marks as Record<'strong' | 'em' | 'link', (typeof schema.marks)[string]>
const { blockquote, ordered_list, bullet_list, list_item, hard_break } = schema.nodes as Record<
  string,
  NodeType
>

export const FORMATS = ['bold', 'italic', 'bullets', 'numbers', 'quote', 'link'] as const
export type Format = (typeof FORMATS)[number]

export type Handlers = {
  onChange: (content: Content) => void
  /** What is formatted where the cursor is. */
  onSelect: (formats: ReadonlySet<Format>) => void
  onSend: (thenClose: boolean) => void
  /** In an empty line; null if there is nothing for it. */
  onSlash: (() => void) | null
  onFiles: (files: File[]) => void
  /** The attachment that an image became; null if it couldn't be uploaded. */
  uploadImage: (file: File) => Promise<{ id: string; url: string; name: string } | null>
  onLink: () => void
  onFocus: () => void
}

const isWithin = ({ selection: { $from } }: EditorState, type: NodeType | undefined): boolean => {
  for (let depth = $from.depth; depth > 0; depth--) if ($from.node(depth).type === type) return true
  return false
}

const hasMark = ({ selection, storedMarks, doc }: EditorState, type: typeof strong): boolean =>
  selection.empty
    ? Boolean(type.isInSet(storedMarks ?? selection.$from.marks()))
    : doc.rangeHasMark(selection.from, selection.to, type)

const formatsAt = (state: EditorState): Set<Format> =>
  new Set(
    [
      hasMark(state, strong) && 'bold',
      hasMark(state, em) && 'italic',
      hasMark(state, link) && 'link',
      isWithin(state, bullet_list) && 'bullets',
      isWithin(state, ordered_list) && 'numbers',
      isWithin(state, blockquote) && 'quote',
    ].filter((format): format is Format => format !== false),
  )

const toggleList =
  (type: NodeType): Command =>
  (state, dispatch) =>
    isWithin(state, type) ? liftListItem(list_item!)(state, dispatch) : wrapInList(type)(state, dispatch)

const toggleQuote: Command = (state, dispatch) =>
  isWithin(state, blockquote) ? lift(state, dispatch) : wrapIn(blockquote!)(state, dispatch)

export const COMMANDS: Record<Exclude<Format, 'link'>, Command> = {
  bold: toggleMark(strong),
  italic: toggleMark(em),
  bullets: toggleList(bullet_list!),
  numbers: toggleList(ordered_list!),
  quote: toggleQuote,
}

const breakLine: Command = chainCommands(exitCode, (state, dispatch) => {
  dispatch?.(state.tr.replaceSelectionWith(hard_break!.create()).scrollIntoView())
  return true
})

/** Only inside of lists: elsewhere Tab goes to the next control. */
const keys = (handlers: () => Handlers): Record<string, Command> => ({
  'Mod-b': COMMANDS.bold,
  'Mod-i': COMMANDS.italic,
  'Mod-Shift-7': COMMANDS.numbers,
  'Mod-Shift-8': COMMANDS.bullets,
  'Mod-Shift-9': COMMANDS.quote,
  'Mod-z': undo,
  'Mod-y': redo,
  'Mod-Shift-z': redo,
  Enter: splitListItem(list_item!),
  'Shift-Enter': breakLine,
  Tab: sinkListItem(list_item!),
  'Shift-Tab': liftListItem(list_item!),
  'Mod-Enter': () => {
    handlers().onSend(false)
    return true
  },
  'Mod-Shift-Enter': () => {
    handlers().onSend(true)
    return true
  },
})

const isLineEmpty = ({ selection }: EditorState): boolean =>
  selection.empty && selection.$from.parent.textContent.slice(0, selection.$from.parentOffset).trim() === ''

/** Keys that elsewhere mean something to the page. */
const handleKey = (view: EditorView, event: KeyboardEvent, handlers: Handlers): boolean => {
  if (event.isComposing) return false
  if (event.key === 'Escape') {
    event.stopPropagation()
    view.dom.blur()
    return true
  }
  if (event.key === '/' && handlers.onSlash && isLineEmpty(view.state)) {
    handlers.onSlash()
    return true
  }
  // Without a selection it is the page's.
  if (event.key === 'k' && (event.ctrlKey || event.metaKey) && !view.state.selection.empty) {
    event.stopPropagation()
    handlers.onLink()
    return true
  }
  return false
}

const isImage = ({ type }: File): boolean => /^image\/(png|jpe?g|gif|webp)$/.test(type)

/** Office programs also copy an image of the text. */
const takeFiles = (view: EditorView, event: ClipboardEvent | DragEvent, handlers: Handlers): boolean => {
  const data = 'clipboardData' in event ? event.clipboardData : event.dataTransfer
  const files = [...(data?.files ?? [])]
  if (files.length === 0 || data?.types.includes('text/html')) return false
  event.preventDefault()
  const others = files.filter((file) => !isImage(file))
  if (others.length > 0) handlers.onFiles(others)
  for (const file of files.filter(isImage))
    void handlers.uploadImage(file).then((image) => {
      if (!image || view.isDestroyed) return
      const node = schema.nodes.image!.create({ id: image.id, src: image.url, alt: image.name })
      view.dispatch(view.state.tr.replaceSelectionWith(node, false).scrollIntoView())
    })
  return true
}

/** The schema drops what runs; browsers complain about it before. */
const withoutHandlers = (html: string): string =>
  html.replace(/<[a-z][^<>]{0,5000}>/gi, (tag) => tag.replace(/\son[a-z]{2,30}\s?=/gi, ' data-off='))

const makePlugins = (handlers: () => Handlers) => [
  keymap(keys(handlers)),
  keymap(baseKeymap),
  history(),
  new Plugin({
    props: {
      handleKeyDown: (view, event) => handleKey(view, event, handlers()),
      handlePaste: (view, event) => takeFiles(view, event, handlers()),
      handleDrop: (view, event) => takeFiles(view, event, handlers()),
      transformPastedHTML: withoutHandlers,
      clipboardTextParser: (text) => Slice.maxOpen(fromText(text).content),
      handleDOMEvents: {
        focus: () => {
          handlers().onFocus()
          return false
        },
      },
    },
  }),
]

export const makeEditor = (
  place: HTMLElement,
  { content, label, placeholder }: { content: Content; label: string; placeholder: string },
  handlers: () => Handlers,
) => {
  const plugins = makePlugins(handlers)
  const stateOf = (doc: Node): EditorState =>
    EditorState.create({ doc, plugins, selection: Selection.atEnd(doc) })
  let shown = content

  const note = (): void => {
    const isEmpty = shown.html === null && shown.text === ''
    view.dom.dataset.placeholder = isEmpty ? placeholder : ''
    handlers().onSelect(formatsAt(view.state))
  }
  const view: EditorView = new EditorView(place, {
    state: stateOf(fromContent(content)),
    attributes: {
      role: 'textbox',
      'aria-multiline': 'true',
      'aria-label': label,
      'aria-describedby': 'composer-count',
      class: 'composer__field rich',
      dir: 'auto',
    },
    dispatchTransaction: (transaction) => {
      view.updateState(view.state.apply(transaction))
      if (transaction.docChanged) {
        shown = toContent(view.state.doc)
        handlers().onChange(shown)
      }
      note()
    },
  })
  note()

  return {
    destroy: () => view.destroy(),
    focus: () => view.focus(),
    run: (format: Exclude<Format, 'link'>): void => {
      COMMANDS[format](view.state, view.dispatch)
      view.focus()
    },
    /** Shows what was written elsewhere. */
    show: (next: Content): void => {
      if (next.text === shown.text && next.html === shown.html) return
      shown = next
      view.updateState(stateOf(fromContent(next)))
      note()
    },
    /** What it is with a text where the cursor is; for the caller to keep. */
    withInserted: (text: string): Content => {
      const slice = Slice.maxOpen(fromText(text).content)
      const transaction = view.state.tr.replaceSelection(slice)
      view.updateState(view.state.apply(transaction))
      shown = toContent(view.state.doc)
      note()
      return shown
    },
    /** All of it, by another text; undo takes it back. */
    replace: (text: string): void => {
      const { content } = fromText(text)
      view.dispatch(closeHistory(view.state.tr.replaceWith(0, view.state.doc.content.size, content)))
      view.focus()
    },
    undo: (): void => {
      undo(view.state, view.dispatch)
      view.focus()
    },
    linkAt: (): string =>
      String(
        link.isInSet(view.state.selection.$from.marksAcross(view.state.selection.$to) ?? [])?.attrs.href ??
          '',
      ),
    /** Links what is selected, or the address itself; null: removes the link. */
    setLink: (href: string | null): void => {
      const { state } = view
      const { from, to, empty } = state.selection
      const transaction = state.tr
      if (href === null) transaction.removeMark(from, to, link)
      else if (empty) transaction.replaceSelectionWith(schema.text(href, [link.create({ href })]), false)
      else transaction.removeMark(from, to, link).addMark(from, to, link.create({ href }))
      if (!empty) transaction.setSelection(TextSelection.create(transaction.doc, to))
      view.dispatch(transaction)
      view.focus()
    },
  }
}

export type Editor = ReturnType<typeof makeEditor>
