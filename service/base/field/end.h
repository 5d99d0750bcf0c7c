/* end.h - undefine the row macros after a .def. No include guard, on purpose. */
#undef NUMBER
#undef COUNT
#undef RATIO
#undef MONEY
#undef RATE
#undef FLAG
#undef CHOICE
#undef TEXT
#undef DATE
#undef ADDRESS
#undef OBJECTS
#undef DOCUMENT
#undef FIGURE
#undef FIELD_NAMED
#undef FIELD_ROW
#undef FIELD_OPEN
#undef FIELDS_OF
