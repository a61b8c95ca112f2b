// Whether a customer asks if they are talking to a machine, and nothing else. “Are you a real person?” is no wish for one.
import { FOLDED_MAX, foldText } from './fold-text.ts'

type Questions = { before: string; what: string }

const MACHINES = 'bot|chatbot|chat bot|robot|machine|ai|an ai|computer|automated|automatic'

/** As they are typed; each of the first with each of the second. */
const QUESTIONS: Record<string, Questions> = {
  en: {
    before:
      'are you|are you a|are you an|are you just a|are you actually a|is this|is this a|is this an|is it a|am i talking to|am i talking to a|am i speaking to a|am i speaking with a|am i chatting with a|am i writing to a|youre a|do i talk to a|so you are a',
    what: `${MACHINES}|real|human|person|human being|real person|real human|actual person|live person|actual human|language model|chatgpt`,
  },
  de: {
    before:
      'bist du|bist du ein|bist du eine|bist du denn ein|sind sie|sind sie ein|sind sie eine|ist das|ist das ein|ist das eine|ist das hier ein|spreche ich mit einem|spreche ich mit einer|schreibe ich mit einem|schreibe ich mit einer|rede ich mit einem|rede ich mit einer|chatte ich mit einem',
    what: 'bot|chatbot|roboter|maschine|ki|eine ki|computer|programm|mensch|menschen|echter mensch|echten menschen|echte person|echten person|echt|automat',
  },
  es: {
    before:
      'eres|eres un|eres una|es usted|es usted un|es usted una|es un|es una|esto es un|hablo con un|hablo con una|estoy hablando con un|estoy hablando con una|estoy chateando con un',
    what: 'bot|robot|chatbot|máquina|ia|inteligencia artificial|humano|humana|persona|persona real|persona de verdad|real',
  },
  pt: {
    before:
      'você é|você é um|você é uma|vc é um|vc é uma|é um|é uma|isso é um|estou falando com um|estou falando com uma|falo com um|falo com uma',
    what: 'bot|robô|chatbot|máquina|ia|inteligência artificial|humano|humana|pessoa|pessoa real|pessoa de verdade|real',
  },
  fr: {
    before:
      'êtes vous|êtes vous un|êtes vous une|es tu|es tu un|es tu une|tu es un|tu es une|vous êtes un|vous êtes une|c’est un|est ce un|est ce que vous êtes un|est ce que tu es un|je parle à un|je parle à une|je parle avec un|je parle avec une|parle je à un|suis je en train de parler à un',
    what: 'bot|robot|chatbot|machine|ia|une ia|intelligence artificielle|humain|humaine|personne|vraie personne|vrai humain|être humain|réel|réelle',
  },
  it: {
    before:
      'sei|sei un|sei una|è un|è una|lei è un|lei è una|parlo con un|parlo con una|sto parlando con un|sto parlando con una|sto chattando con un',
    what: 'bot|robot|chatbot|macchina|ia|un’ia|intelligenza artificiale|umano|umana|essere umano|persona|persona vera|persona reale|vero',
  },
  nl: {
    before:
      'ben je|ben je een|ben jij een|bent u|bent u een|is dit|is dit een|praat ik met een|spreek ik met een|chat ik met een|heb ik een',
    what: 'bot|robot|chatbot|machine|ai|computer|mens|echt mens|echte mens|persoon|echt persoon|echte persoon|echt',
  },
  pl: {
    before:
      'czy jesteś|jesteś|czy to|czy to jest|czy pan jest|czy pani jest|czy rozmawiam z|rozmawiam z|czy piszę z',
    what: 'bot|botem|robotem|robot|maszyną|ai|sztuczną inteligencją|człowiekiem|człowiek|prawdziwym człowiekiem|żywym człowiekiem|prawdziwą osobą|automatem',
  },
  tr: {
    before: 'sen|sen bir|siz|siz bir|bu bir|bir',
    what: 'bot musun|bot musunuz|robot musun|robot musunuz|robot mu|bot mu|insan mısın|insan mısınız|gerçek misin|gerçek misiniz|yapay zeka mısın|yapay zeka mısınız|botla mı konuşuyorum|robotla mı konuşuyorum|insanla mı konuşuyorum',
  },
  ru: {
    before: 'ты|вы|а ты|а вы|это|я говорю с|я общаюсь с|я разговариваю с|вы что',
    what: 'бот|робот|человек|живой человек|живой|настоящий человек|машина|ии|нейросеть|искусственный интеллект|ботом|роботом|человеком|живым человеком|с ботом',
  },
  uk: {
    before: 'ти|ви|а ти|а ви|це|я говорю з|я спілкуюся з|я розмовляю з|чи ви|чи ти',
    what: 'бот|робот|людина|жива людина|справжня людина|машина|штучний інтелект|ботом|роботом|людиною|живою людиною',
  },
  ar: {
    before: 'هل أنت|هل انت|أنت|انت|هل هذا|هل أتحدث مع|هل أتكلم مع|هل أتحدث إلى',
    what: 'روبوت|بوت|آلة|برنامج|ذكاء اصطناعي|إنسان|انسان|شخص حقيقي|إنسان حقيقي|بشر|حقيقي|شخص',
  },
}

/** They may stand before it. */
const LEADS =
  'hi|hello|hey|wait|sorry|so|ok|okay|um|hm|hallo|moment|entschuldigung|hola|perdón|olá|oi|bonjour|salut|pardon|ciao|scusi|hoi|sorry|cześć|merhaba|привет|привіт|مرحبا'

const foldedOf = (phrases: string): string[] => phrases.split('|').map(foldText)

let asked: ReadonlySet<string> | undefined

/** Made when it is first needed. */
const questions = (): ReadonlySet<string> => {
  asked ??= new Set(
    Object.values(QUESTIONS).flatMap(({ before, what }) =>
      foldedOf(before).flatMap((one) => foldedOf(what).map((other) => `${one} ${other}`)),
    ),
  )
  return asked
}

const LEAD_WORDS = new Set(foldedOf(LEADS))
const LEAD_MAX = 2
const WORDS_MAX = 14
const OR = new Set(foldedOf('or|oder|o|ou|of|czy|yoksa|или|чи|أم|أو'))
/** Not a question: “this is a robot vacuum” has more behind it, and “it is a machine” tells. */
const MARK = /[?？؟]\s*$/u

export const asksWhetherMachine = (text: string): boolean => {
  if (text.length > FOLDED_MAX) return false
  const words = foldText(text).split(' ')
  if (words.length > WORDS_MAX || words[0] === '') return false
  let start = 0
  while (start < LEAD_MAX && LEAD_WORDS.has(words[start] ?? '')) start++
  const rest = words.slice(start)
  const orAt = rest.findIndex((word, at) => at >= 2 && OR.has(word))
  const asked = (orAt < 0 ? rest : rest.slice(0, orAt)).join(' ')
  return questions().has(asked) && (MARK.test(text) || startsAsQuestion(asked))
}

/** Typed without a mark, the order of the words tells. */
const QUESTION_STARTS =
  /^(?:are|is|am|do|bist|sind|ist|spreche|schreibe|rede|chatte|eres|hablo|estoy|estou|voce|vc|etes|es tu|est ce|sei|parlo|sto|ben|bent|praat|spreek|chat|czy|sen|siz|ти|ви|ты|вы|هل) /u

const startsAsQuestion = (folded: string): boolean => QUESTION_STARTS.test(`${folded} `)
