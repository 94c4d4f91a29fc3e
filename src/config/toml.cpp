#include "config/toml.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

extern "C" {
#include "base/memory.h"
}

namespace {

/* toml++ throws; an entry that cannot be represented throws this, and both end at toml_parse. */
struct refused {
    uint32_t line;
    std::string message;
};

char *copy_text(std::string_view text) {
    char *copy = static_cast<char *>(allocate(text.size() + 1, 1));
    std::memcpy(copy, text.data(), text.size());
    copy[text.size()] = 0;
    return copy;
}

toml_kind kind_of(const toml::node &node) {
    if (node.is_string())
        return TOML_TEXT;
    if (node.is_integer())
        return TOML_INTEGER;
    if (node.is_boolean())
        return TOML_BOOLEAN;
    return TOML_OTHER;
}

toml_entry scalar_entry(const toml::node &node) {
    toml_entry entry = {};
    entry.line = static_cast<uint32_t>(node.source().begin.line);
    entry.kind = kind_of(node);
    if (entry.kind == TOML_TEXT) {
        const std::string &text = node.as_string()->get();
        if (text.find('\0') != std::string::npos)
            throw refused{entry.line, "found a NUL character in a string"};
        entry.text = copy_text(text);
    } else if (entry.kind == TOML_INTEGER) {
        entry.integer = node.as_integer()->get();
    } else if (entry.kind == TOML_BOOLEAN) {
        entry.boolean = node.as_boolean()->get();
    }
    return entry;
}

void free_entry(toml_entry &entry) {
    for (size_t i = 0; i < entry.element_count; i++)
        std::free(entry.elements[i].text);
    std::free(entry.elements);
    std::free(entry.key);
    std::free(entry.text);
}

/* Owns what toml_parse has gathered until it is handed over: an exception on the way frees it. */
struct entry_list {
    std::vector<toml_entry> entries;
    ~entry_list() { std::for_each(entries.begin(), entries.end(), free_entry); }
};

void append_array(entry_list &list, const toml::array &array, std::string_view key) {
    toml_entry entry = {};
    entry.kind = TOML_ARRAY;
    entry.line = static_cast<uint32_t>(array.source().begin.line);
    entry.key = copy_text(key);
    entry.elements = static_cast<toml_entry *>(allocate_zeroed(array.size(), sizeof(toml_entry)));
    list.entries.push_back(entry);
    for (const toml::node &element : array) {
        toml_entry &owner = list.entries.back();
        owner.elements[owner.element_count] = scalar_entry(element);
        owner.element_count++;
    }
}

void append_table(entry_list &list, const toml::table &table, const std::string &prefix) {
    for (const auto &[name, node] : table) {
        if (name.str().find('\0') != std::string_view::npos)
            throw refused{static_cast<uint32_t>(node.source().begin.line), "found a NUL character in a key"};
        std::string key = prefix + std::string(name.str());
        if (const toml::array *array = node.as_array()) {
            append_array(list, *array, key);
            continue;
        }
        toml_entry entry = {};
        if (node.is_table()) {
            entry.kind = TOML_TABLE;
            entry.line = static_cast<uint32_t>(node.source().begin.line);
        } else {
            entry = scalar_entry(node);
        }
        entry.key = copy_text(key);
        list.entries.push_back(entry);
        if (const toml::table *inner = node.as_table())
            append_table(list, *inner, key + ".");
    }
}

void hand_over(toml_document *document, entry_list &list) {
    std::stable_sort(list.entries.begin(), list.entries.end(),
                     [](const toml_entry &a, const toml_entry &b) { return a.line < b.line; });
    document->entries = static_cast<toml_entry *>(allocate(list.entries.size(), sizeof(toml_entry)));
    std::copy(list.entries.begin(), list.entries.end(), document->entries);
    document->count = list.entries.size();
    list.entries.clear();
}

} // namespace

extern "C" cuzk_status toml_parse(toml_document *document, const char *text, size_t length, cuzk_error *error) {
    *document = {};
    try {
        toml::table table = toml::parse(std::string_view(text, length));
        entry_list list;
        append_table(list, table, "");
        hand_over(document, list);
        return CUZK_OK;
    } catch (const toml::parse_error &problem) {
        return failure(error, CUZK_BAD_INPUT, "line %u, column %u: %.*s", static_cast<unsigned>(problem.source().begin.line),
                       static_cast<unsigned>(problem.source().begin.column), static_cast<int>(problem.description().size()),
                       problem.description().data());
    } catch (const refused &problem) {
        return failure(error, CUZK_BAD_INPUT, "line %u: %s", static_cast<unsigned>(problem.line), problem.message.c_str());
    } catch (const std::exception &problem) {
        return failure(error, CUZK_INTERNAL, "TOML: %s", problem.what());
    }
}

extern "C" void toml_document_free(toml_document *document) {
    for (size_t i = 0; i < document->count; i++)
        free_entry(document->entries[i]);
    std::free(document->entries);
    *document = {};
}

extern "C" const char *toml_kind_name(toml_kind kind) {
    switch (kind) {
    case TOML_TEXT: return "a string";
    case TOML_INTEGER: return "an integer";
    case TOML_BOOLEAN: return "a boolean";
    case TOML_ARRAY: return "an array";
    case TOML_TABLE: return "a table";
    case TOML_OTHER: break;
    }
    return "another kind of value";
}
