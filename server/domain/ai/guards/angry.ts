// Whether a customer is so angry that an automatic reply would make it worse.
import { phraseFinder } from './phrases.ts'

/** One of these is enough: insults, and the last words before somebody leaves. */
const FURIOUS =
  'fuck you|fuck off|fucking|fuck this|wtf|bullshit|piece of shit|this is shit|you idiots|idiots|you are useless|youre useless|useless company|useless bot|stupid bot|dumb bot|stupid company|scammers|youre a scam|you are a scam|' +
  'this is a scam|total scam|ripped me off|rip off company|you are thieves|youre thieves|you stole my money|liars|you lied to me|im furious|i am furious|absolutely furious|fed up|sick of this|sick and tired|had enough of|worst company|worst service|worst customer service|' +
  'this is unacceptable|totally unacceptable|completely unacceptable|absolutely unacceptable|this is outrageous|this is ridiculous|this is a joke|are you kidding me|are you serious right now|waste of time|wasting my time|never again|never buying from you|never buy from you|i want my money back now|disgusting|' +
  'verdammte|verdammt noch mal|verdammt nochmal|scheiße|scheiß|scheissladen|scheißladen|saftladen|idioten|ihr seid unfähig|unfähig|betrüger|betrug|abzocke|abzocker|verarschen|verarscht|lügner|unverschämtheit|frechheit|eine zumutung|unfassbar schlecht|inakzeptabel|nicht akzeptabel|reicht mir jetzt|mir reicht es|mir reichts|' +
  'nase voll|schnauze voll|stinksauer|ich bin sauer|bin sehr wütend|bin so wütend|nie wieder|schlechtester service|schlechtester kundenservice|wollt ihr mich|ein witz|zeitverschwendung|' +
  'mierda|idiotas|inútiles|estafadores|estafa|es una estafa|ladrones|mentirosos|me han robado|me han estafado|inaceptable|una vergüenza|vergonzoso|qué vergüenza|harto|harta|estoy furioso|estoy furiosa|indignado|indignada|indignante|pésimo servicio|pésima atención|peor servicio|nunca más|una broma|tomando el pelo|perder el tiempo|' +
  'merda|filhos da puta|idiotas|incompetentes|golpistas|é um golpe|ladrões|mentirosos|me roubaram|inaceitável|um absurdo|que absurdo|uma vergonha|palhaçada|falta de respeito|cansei|de saco cheio|estou furioso|estou furiosa|indignado|péssimo atendimento|péssimo serviço|pior atendimento|nunca mais|perda de tempo|' +
  'putain|bordel|merde|connards|bande de|escrocs|escroquerie|arnaque|arnaqueurs|voleurs|menteurs|inadmissible|inacceptable|scandaleux|une honte|honteux|ras le bol|marre|j’en ai assez|furieux|furieuse|très en colère|foutez de moi|moquez de moi|pire service|plus jamais|perte de temps|n’importe quoi|' +
  'cazzo|vaffanculo|idioti|incapaci|truffa|truffatori|ladri|bugiardi|inaccettabile|vergogna|vergognoso|vergognatevi|una presa in giro|prendete in giro|sono stufo|sono stufa|sono furioso|sono furiosa|arrabbiato|arrabbiata|pessimo servizio|pessima assistenza|peggior servizio|mai più|scandaloso|perdita di tempo|' +
  'kut bedrijf|kutbedrijf|klootzakken|godverdomme|idioten|oplichters|oplichting|oplichterij|dieven|leugenaars|onacceptabel|schandalig|schande|belachelijk|helemaal zat|spuugzat|ik ben woedend|ben woedend|ben boos|slechtste service|slechtste klantenservice|nooit meer|tijdverspilling|' +
  'kurwa|oszuści|oszustwo|złodzieje|kłamcy|skandal|żenada|nie do przyjęcia|mam dość|jestem wściekły|jestem wściekła|najgorsza obsługa|nigdy więcej|dolandırıcı|dolandırıcılar|dolandırıcılık|yalancı|rezalet|kabul edilemez|bıktım|yeter artık|berbat hizmet|bir daha asla|saçmalık|' +
  'блять|сука|идиоты|мошенники|мошенничество|обман|обманщики|воры|вруны|безобразие|возмутительно|неприемлемо|позор|издеваетесь|надоело|я в ярости|я зол|ужасный сервис|худший сервис|никогда больше|шахраї|шахрайство|злодії|брехуни|неприйнятно|ганьба|знущаєтесь|набридло|жахливий сервіс|ніколи більше|' +
  'نصابين|نصابون|نصب واحتيال|احتيال|لصوص|كذابين|كذابون|غير مقبول|مهزلة|عيب عليكم|سئمت|طفح الكيل|أسوأ خدمة|غاضب جدا|骗子|騙子|垃圾公司|太过分|受够了|投诉你们|ふざけるな|詐欺|最悪です|いい加減にして|사기꾼|짜증나|धोखा|धोखेबाज|बकवास'

/** What was asked before, in vain. */
const AGAIN =
  'for the third time|third time im|third time i am|third time ive|third time i have|third time i ask|third time i write|third time asking|fourth time im|fourth time ive|fifth time im|fifth time ive|for the tenth time|for the 100th time|for the hundredth time|for the last time|how many times do i have to say|how many times do i have to ask|how many times do i have to tell|how many times do i have to write|how many times do i have to explain|how many more times|asked you already|i already told you|already told you|still no answer|nobody answers|no one answers|nobody replies|no one replies|ignoring me|keep ignoring|been waiting for weeks|been waiting for months|waited long enough|' +
  'zum dritten mal|zum vierten mal|zum fünften mal|zum x ten mal|zum hundertsten mal|zum letzten mal|wie oft noch|wie oft muss ich noch|wie oft soll ich noch|schon mehrfach geschrieben|immer noch keine antwort|niemand antwortet|keiner antwortet|seit wochen warte|warte seit wochen|seit monaten warte|ihr ignoriert|' +
  'por tercera vez|tercera vez que|cuarta vez que|quinta vez que|por enésima vez|por última vez|cuántas veces más|cuántas veces tengo que decir|cuántas veces tengo que repetir|ya les dije|ya os he dicho|nadie responde|nadie contesta|nadie me responde|llevo semanas|llevo meses|me ignoran|' +
  'pela terceira vez|terceira vez que|quarta vez que|pela enésima vez|pela última vez|quantas vezes mais|quantas vezes vou ter que|quantas vezes preciso repetir|quantas vezes tenho que repetir|já falei|já disse|ninguém responde|ninguém me responde|há semanas esperando|estou sendo ignorado|' +
  'troisième fois|quatrième fois|cinquième fois|énième fois|dernière fois que je|combien de fois encore|combien de fois dois je vous|combien de fois faut il vous|déjà dit|personne ne répond|toujours pas de réponse|toujours aucune réponse|des semaines que j’attends|des mois que j’attends|' +
  'terza volta|quarta volta|ennesima volta|per l’ultima volta|quante volte ancora|quante volte devo ripetere|quante volte devo dire|vi ho già detto|nessuno risponde|nessuno mi risponde|ancora nessuna risposta|aspetto da settimane|aspetto da mesi|' +
  'derde keer|vierde keer|zoveelste keer|laatste keer dat ik|hoe vaak moet ik nog|hoe vaak nog|niemand antwoordt|niemand reageert|nog steeds geen antwoord|wacht al weken|wacht al maanden|' +
  'trzeci raz|po raz trzeci|po raz kolejny|ile razy mam pisać|ile razy jeszcze|nikt nie odpowiada|üçüncü kez|kaç kere daha|kaç defa daha|kimse cevap vermiyor|haftalardır bekliyorum|в третий раз|сколько раз можно|сколько раз повторять|сколько можно|никто не отвечает|недели жду|втретє|скільки разів можна|скільки разів повторювати|скільки можна|ніхто не відповідає|للمرة الثالثة|لا أحد يرد'

const isFurious = phraseFinder(FURIOUS)
const saysAgain = phraseFinder(AGAIN)

/** Less is a name, an abbreviation or an order number. */
const CAPITALS_MIN = 20
const CAPITALS_SHARE = 0.7
const READ_MAX = 8_000

export const isAngry = (text: string): boolean =>
  isFurious(text) !== undefined || saysAgain(text) !== undefined || isShouting(text.slice(0, READ_MAX))

/** Capitals alone are a broken key or a habit; with several "!" they are shouting. */
const isShouting = (text: string): boolean => {
  const small = text.match(/\p{Ll}/gu)?.length ?? 0
  const large = text.match(/\p{Lu}/gu)?.length ?? 0
  return (
    large >= CAPITALS_MIN && large / (large + small) >= CAPITALS_SHARE && /[!！]{2}|!\?|\?!|\?{3}/.test(text)
  )
}
